//! The FRI folds.

use field::QM31;
use gpu_hal::{CircleDomain, CircleStark, Domain, Protocol, Result};

use super::factors::{factors, first_of, log_domain};
use super::kernels::Call;
use super::units;
use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;

pub(super) fn fold<D: KernelDevice>(
    call: Call<'_, D>,
    layer: Table<'_, D>,
    domain: &CircleDomain,
    folded: &CircleDomain,
    alpha: QM31,
) -> Result<NewTable<D>> {
    let result = new_table(call, CircleStark::DEGREE, folded.log_size())?;
    let factors = factors(call, domain)?;
    let count = 1u64 << result.log_height;
    let is_circle = matches!(domain, CircleDomain::Circle { .. });
    let params = Params::new()
        .qm31(&alpha)
        .u64(count)
        .u32(log_domain(domain))
        .u32(is_circle.into())
        .u32(first_of(domain))
        .u32(0);
    let buffers = [whole(&layer.data.block), whole(&result.data.block), whole(&factors.inverse)];
    let entry = Entry { unit: &units::FOLD, name: "fold", defines: &[] };
    call.launch_items(entry, count, 1, &buffers, params)?;
    Ok(result)
}
