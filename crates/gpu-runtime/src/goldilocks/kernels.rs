//! The kernels of the protocol as the runtime sees them, and the tables that they keep.

use field::{ExtensionField, Goldilocks, TwoAdicField};
use gpu_hal::{GoldilocksStark, HalError, Result};

use super::units;
use crate::cache::Cache;
use crate::kernel_set::KernelSet;
use crate::library::Units;
use crate::pool::Block;

pub(super) type P<E> = GoldilocksStark<E>;
pub(super) type Call<'a, D, E> = crate::call::Call<'a, D, P<E>>;

/// Tables of roots of unity.
pub struct Caches<M> {
    pub(super) roots: Cache<Block<M>>,
    pub(super) twiddles: Cache<Twiddles<M>>,
}

impl<M> Default for Caches<M> {
    fn default() -> Self {
        Self { roots: Cache::default(), twiddles: Cache::default() }
    }
}

/// The tables of `kernels/goldilocks/points.h`, of twiddles and of their inverses. They serve domains of any size.
pub(super) struct Twiddles<M> {
    pub(super) forward: Block<M>,
    pub(super) inverse: Block<M>,
}

impl<E: ExtensionField<Goldilocks>> KernelSet for GoldilocksStark<E> {
    const UNITS: &'static Units = &units::UNITS;
    const MAX_LOG_HEIGHT: u32 = Goldilocks::TWO_ADICITY;
    type Caches<M: Send + Sync + 'static> = Caches<M>;

    fn check_extension() -> Result<()> {
        if [1, 3].contains(&E::DEGREE) {
            return Ok(());
        }
        let detail = format!("an extension of degree {}: there are kernels for 1 and 3", E::DEGREE);
        Err(HalError::unsupported("open device", detail))
    }
}
