//! Columns of fractions summed up.

use field::{Field, PrimeField};
use gpu_hal::{Result, RunningRequest};

use crate::buffer::{NewTable, new_table};
use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::scan::fractions;
use crate::types::GpuTypes;

/// Rows of a chunk, which are the rows of a block of `logup_fractions`, and threads of that block, as in the kernel.
const CHUNK: u64 = 1024;
const THREADS: u32 = 256;

/// Elements of the buffer that [`logup`] takes beside its result and its fractions.
pub(crate) fn logup_elements<P: GpuProtocol>(log_height: u32) -> u64 {
    (1u64 << log_height).div_ceil(CHUNK) * P::DEGREE as u64
}

/// The fractions of every row added up, then the running sum of the last column less the mean of every row so far. The
/// total goes to place `number` of the totals.
pub(crate) fn logup<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RunningRequest<'_, GpuTypes<D, P>>,
    pairs: &[(usize, usize)],
    (totals, number): (&Block<D::Memory>, u32),
) -> Result<NewTable<D>> {
    let count = 1u64 << args.log_height;
    let chunks = count.div_ceil(CHUNK);
    let result = new_table(call, pairs.len() * P::DEGREE, args.log_height)?;
    let values = fractions(call, args, pairs)?;
    // A power of two is not zero.
    let inverse = P::Base::from_u64(count).inverse_or_zero().as_u64();
    let params = || Params::new().u64(count).u64(inverse).u32(pairs.len() as u32).u32(chunks as u32).u32(number).u32(0);
    let degree = call.degree();
    let entry = |name| Entry { unit: P::UNITS.scan, name, defines: &degree };
    let carries = call.alloc_elements(logup_elements::<P>(args.log_height))?;
    let buffers = [whole(&values), whole(&result.data.block), whole(&carries)];
    call.launch_blocks(entry("logup_fractions"), chunks, 1, THREADS, &buffers, params())?;
    drop(values);
    call.launch_blocks(entry("logup_carries"), 1, 1, THREADS, &[whole(&carries), whole(totals)], params())?;
    let buffers = [whole(&result.data.block), whole(&carries), whole(totals)];
    call.launch_items(entry("logup_centre"), count, 1, &buffers, params())?;
    Ok(result)
}
