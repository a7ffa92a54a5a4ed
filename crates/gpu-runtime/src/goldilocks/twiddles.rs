//! Roots of unity on the device: points of domains in storage order.

use std::sync::Arc;

use field::{ExtensionField, Field, Goldilocks, TwoAdicField};
use gpu_hal::Result;

use super::kernels::Call;
use super::units;
use crate::cache::Factors;
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::pool::Block;

/// Entries of each of the two tables, as in the kernel.
pub(super) const ENTRIES: u64 = (1 << 16) + (1 << 15);

/// The tables, made when they are first asked for.
pub(super) fn twiddles<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
) -> Result<Arc<Factors<D::Memory>>> {
    let make = |root: fn(u32) -> Goldilocks| -> Result<Block<D::Memory>> {
        let table = call.alloc(ENTRIES)?;
        let roots = (0..32).map(|i| if i + 2 <= Goldilocks::TWO_ADICITY { root(i + 2) } else { Goldilocks::ONE });
        let params = roots.fold(Params::new(), Params::base);
        let entry = Entry { unit: &units::TABLES, name: "make_twiddles", defines: &[] };
        call.launch_items(entry, ENTRIES, 1, &[whole(&table)], params)?;
        Ok(table)
    };
    let both = || {
        Ok(Factors {
            forward: make(Goldilocks::two_adic_generator)?,
            inverse: make(|bits| Goldilocks::two_adic_generator(bits).inverse_or_zero())?,
            entries: ENTRIES,
        })
    };
    call.runtime.factors.get(|_| true, both)
}
