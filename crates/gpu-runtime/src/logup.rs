//! Columns of fractions summed up.

use field::{Field, PrimeField};
use gpu_hal::{Result, Running};

use crate::buffer::{NewTable, new_table};
use crate::call::{Call, Entry, from_element, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::scan::{INCLUSIVE_SUM, ratios, scan};
use crate::types::GpuTypes;

/// The fractions of every row added up, then the running sum of the last column less the mean of every row so far. The total goes to
/// place `number` of the totals.
pub(crate) fn logup<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &Running<'_, GpuTypes<D, P>>,
    fractions: &[(usize, usize)],
    (totals, number): (&Block<D::Memory>, u32),
) -> Result<NewTable<D>> {
    let (columns, elements) = (fractions.len(), P::DEGREE as u64);
    let count = 1u64 << args.log_height;
    let result = new_table(call, columns * P::DEGREE, args.log_height)?;
    let values = ratios(call, args, fractions)?;
    // A power of two is not zero.
    let inverse = P::Base::from_u64(count).inverse_or_zero().as_u64();
    let params = || Params::new().u64(count).u64(inverse).u32(columns as u32).u32(number);
    let degree = call.degree();
    let entry = |name| Entry { unit: P::UNITS.scan, name, defines: &degree };
    call.launch_items(entry("logup_rows"), count, 1, &[whole(&values), whole(&result.data.block)], params())?;

    let running = call.alloc_elements(elements * count)?;
    let last = from_element::<P, _>(&result.data.block, (columns as u64 - 1) * elements * count);
    scan(call, (last, P::DEGREE as u32), &[INCLUSIVE_SUM], count, &running)?;
    let buffers = [whole(&running), whole(&result.data.block), whole(totals)];
    call.launch_items(entry("logup_centre"), count, 1, &buffers, params())?;
    Ok(result)
}
