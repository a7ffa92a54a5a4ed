//! Columns of fractions summed up.

use field::{Field, PrimeField};
use gpu_hal::{Operation, Result, Running};

use crate::backend::GpuBackend;
use crate::buffer::{NewTable, new_table};
use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::{GpuProtocol, from_element};
use crate::running::{INCLUSIVE_SUM, ratios, scan};

/// The fractions of every row added up, then the running sum of the last column less the mean of every row so far. The total goes to
/// place `number` of the totals.
pub(crate) fn logup<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &Running<'_, GpuBackend<D, P>>,
    fractions: &[(usize, usize)],
    (totals, number): (&Block<D::Memory>, u32),
) -> Result<NewTable<D>> {
    let op = Operation::Running;
    let (columns, elements) = (fractions.len(), P::DEGREE as u64);
    let count = 1u64 << args.log_height;
    let result = new_table(call, op, columns * P::DEGREE, args.log_height)?;
    let values = ratios(call, op, args.program, (args.columns, args.log_height), args.params, fractions)?;
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
