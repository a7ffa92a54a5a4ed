//! The FRI fold.

use field::{ExtensionField, Field, Goldilocks};
use gpu_hal::{CosetDomain, Result};

use super::kernels::Call;
use super::twiddles::twiddles;
use super::units;
use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;

pub(super) fn fold<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    layer: Table<'_, D>,
    domain: &CosetDomain<Goldilocks>,
    folded: &CosetDomain<Goldilocks>,
    alpha: E,
) -> Result<NewTable<D>> {
    let result = new_table(call, E::DEGREE, folded.log_size)?;
    let twiddles = twiddles(call)?;
    let count = 1u64 << folded.log_size;
    let params = Params::new().ext(&alpha).base(domain.shift.inverse_or_zero()).u64(count);
    let buffers = [whole(&layer.data.block), whole(&result.data.block), whole(&twiddles.inverse)];
    let entry = Entry { unit: &units::FOLD, name: "fold", defines: &call.degree() };
    call.launch_items(entry, count, 1, &buffers, params)?;
    Ok(result)
}
