//! The kernels of the protocol as the runtime sees them, and the tables that they keep.

use field::QM31;
use field::circle::MAX_LOG_DOMAIN;
use gpu_hal::CircleStark;

use super::units;
use crate::cache::Cache;
use crate::kernel_set::KernelSet;
use crate::library::Units;
use crate::pool::Block;

pub(super) type Call<'a, D> = crate::call::Call<'a, D, CircleStark>;

/// The tables of `kernels/circle/points.h`, of factors and of their inverses.
pub struct Factors<M> {
    pub(super) forward: Block<M>,
    pub(super) inverse: Block<M>,
    /// Log2 of the entries of each.
    pub(super) log_entries: u32,
}

/// The coordinates of an element as numbers.
pub(super) fn numbers(value: &QM31) -> [u64; 4] {
    value.0.map(|coordinate| u64::from(coordinate.value()))
}

impl KernelSet for CircleStark {
    const UNITS: &'static Units = &units::UNITS;
    const MAX_LOG_HEIGHT: u32 = MAX_LOG_DOMAIN;
    /// The tables for the largest domain so far.
    type Caches<M: Send + Sync + 'static> = Cache<Factors<M>>;
}
