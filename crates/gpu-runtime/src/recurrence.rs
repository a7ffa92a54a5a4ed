//! Linear recurrences: threads find their first rows by powers of the companion matrix.

use field::PrimeField;
use gpu_hal::{LinearRecurrence, Result};

use crate::buffer::{NewTable, new_table};
use crate::call::{Call, Entry, from_element, whole};
use crate::device::KernelDevice;
use crate::elements::words;
use crate::params::Params;
use crate::protocol::GpuProtocol;

/// Threads of a block and rows of a thread, as in the kernel.
const LOG_THREADS: u32 = 8;
const ROWS: u64 = 32;

/// Powers of the companion matrix: of the bits of a row, and of the step of a thread.
fn power_count(log_height: u32) -> u32 {
    log_height.max(LOG_THREADS + 1)
}

/// Words of the buffers that [`recurrence`] takes beside its result.
pub(crate) fn recurrence_words<P: GpuProtocol>(order: usize, starts: usize, log_height: u32) -> Vec<u64> {
    let powers = u64::from(power_count(log_height)) * (order * order) as u64;
    [powers, (starts * order) as u64].map(words::<P>).to_vec()
}

/// One launch for every start of the sequence: a column that starts anew is a few sequences one after the other.
pub(crate) fn recurrence<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &LinearRecurrence<P::Base>,
) -> Result<NewTable<D>> {
    let order = args.coefficients.len();
    let column = new_table(call, 1, args.log_height)?;
    if args.is_zero() {
        call.zero(&column.data.block, words::<P>(1 << args.log_height))?;
        return Ok(column);
    }
    let powers = args.powers(power_count(args.log_height));
    let powers: Vec<u64> = powers.iter().flatten().map(|entry| entry.as_u64()).collect();
    let powers = call.alloc_as_elements(&powers)?;
    let starts: Vec<u64> = args.starts().map(|(row, _)| row as u64).chain([1 << args.log_height]).collect();
    let initial: Vec<u64> = args.starts().flat_map(|(_, values)| values).map(|value| value.as_u64()).collect();
    let initial = call.alloc_as_elements(&initial)?;
    let defines = [("ORDER", order as u64)];
    let entry = Entry { unit: P::UNITS.recurrence, name: "recurrence", defines: &defines };
    for (number, rows) in starts.windows(2).enumerate() {
        let (first, count) = (rows[0], rows[1] - rows[0]);
        let blocks = count.div_ceil(ROWS << LOG_THREADS);
        let initial = from_element::<P, _>(&initial, (number * order) as u64);
        let buffers = [whole(&powers), initial, whole(&column.data.block)];
        call.launch_blocks(entry, blocks, 1, 1 << LOG_THREADS, &buffers, Params::new().u64(first).u64(count))?;
    }
    Ok(column)
}
