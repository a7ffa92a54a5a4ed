//! Fractions of every row, their ratios, and running products and sums of these.

use gpu_hal::{Result, RunningRequest};
use ir::text::constraints::Sink;

use crate::call::{Call, Entry, whole};
use crate::constraints::run_rows;
use crate::device::{Argument, KernelDevice};
use crate::params::Params;
use crate::pool::Block;
use crate::program::GpuProgram;
use crate::protocol::GpuProtocol;
use crate::types::GpuTypes;

/// Rows of a thread of `ratios`, as in the kernel.
const RATIO_ROWS: u64 = 4;
/// Rows of a block of the scans, and its threads.
pub(crate) const SCAN_CHUNK: u64 = 1024;
const SCAN_THREADS: u32 = 256;

/// The sinks of the outputs of a program whose ratios are taken: numerators and denominators, one column after the
/// other.
pub(crate) fn ratio_sinks<D: KernelDevice, P: GpuProtocol>(
    program: &GpuProgram<P, D>,
    pairs: &[(usize, usize)],
) -> Vec<Vec<Sink<P::Ext>>> {
    let mut sinks = program.no_sinks();
    for (number, (numerator, denominator)) in pairs.iter().enumerate() {
        sinks[*numerator].push(Sink::Store { column: 2 * number as u32 });
        sinks[*denominator].push(Sink::Store { column: 2 * number as u32 + 1 });
    }
    sinks
}

/// Outputs (numerator, denominator) of a program at every row: of every pair two extension columns.
pub(crate) fn fractions<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RunningRequest<'_, GpuTypes<D, P>>,
    pairs: &[(usize, usize)],
) -> Result<Block<D::Memory>> {
    let sinks = ratio_sinks(args.program, pairs);
    let values = call.alloc_elements((pairs.len() as u64 * 2 * P::DEGREE as u64) << args.log_height)?;
    run_rows(call, args.program, args.params, &sinks, (args.columns, args.log_height), &values)?;
    Ok(values)
}

/// Their ratios: of every pair the first extension column is the ratio, the second of no use.
pub(crate) fn ratios<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RunningRequest<'_, GpuTypes<D, P>>,
    pairs: &[(usize, usize)],
) -> Result<Block<D::Memory>> {
    let values = fractions(call, args, pairs)?;
    let count = 1u64 << args.log_height;
    let threads = count.div_ceil(RATIO_ROWS);
    let params = Params::new().u64(count).u64(threads).u32(pairs.len() as u32);
    let entry = Entry { unit: P::UNITS.scan, name: "ratios", defines: &call.degree() };
    call.launch_items(entry, threads, pairs.len() as u32, &[whole(&values)], params)?;
    Ok(values)
}

/// Scans extension columns, one for each of the flags, the first of every `step` base columns of the values.
pub(crate) fn scan<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    values: (Argument<'_, D::Memory>, u32),
    flags: &[u32],
    count: u64,
    result: &Block<D::Memory>,
) -> Result<()> {
    let flag_words = call.alloc(flags.len().div_ceil(2) as u64)?;
    call.upload(&flag_words, bytemuck::cast_slice(flags))?;
    let scan = Scan { columns: flags.len() as u32, flags: &flag_words };
    scan.run(call, values, count, result, false)
}

struct Scan<'a, M> {
    columns: u32,
    flags: &'a Block<M>,
}

impl<M> Scan<'_, M> {
    /// Scans `count` rows of every column into `result`. `step`: base columns from a column of the values to the next.
    fn run<D: KernelDevice<Memory = M>, P: GpuProtocol>(
        &self,
        call: Call<'_, D, P>,
        (values, step): (Argument<'_, M>, u32),
        count: u64,
        result: &Block<M>,
        exclusive: bool,
    ) -> Result<()> {
        let blocks = count.div_ceil(SCAN_CHUNK);
        let params = |has_carries: bool| {
            Params::new().u64(count).u32(step).u32(blocks as u32).u32(exclusive.into()).u32(has_carries.into())
        };
        let degree = call.degree();
        let entry = |name| Entry { unit: P::UNITS.scan, name, defines: &degree };
        let mut carries = None;
        if blocks > 1 {
            let words = u64::from(self.columns) * P::DEGREE as u64 * blocks;
            let totals = call.alloc_elements(words)?;
            let buffers = [values, whole(self.flags), whole(&totals)];
            call.launch_blocks(entry("scan_totals"), blocks, self.columns, SCAN_THREADS, &buffers, params(false))?;
            let before = call.alloc_elements(words)?;
            self.run(call, (whole(&totals), P::DEGREE as u32), blocks, &before, true)?;
            carries = Some(before);
        }
        let buffers = [values, whole(self.flags), whole(carries.as_ref().unwrap_or(result)), whole(result)];
        call.launch_blocks(entry("scan_apply"), blocks, self.columns, SCAN_THREADS, &buffers, params(carries.is_some()))
    }
}
