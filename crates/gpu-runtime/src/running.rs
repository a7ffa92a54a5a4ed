//! Running products and sums: fractions of every row, their ratios, scans.

use field::{ExtensionField, Field};
use gpu_hal::{Accumulated, DeviceProgram, Operation, Result, Running, RunningColumn, RunningForm, RunningKind, Shape};

use crate::backend::GpuBackend;
use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Call, Entry, whole};
use crate::constraints::{run_program, upload_program};
use crate::device::{Argument, KernelDevice};
use crate::generate::Purpose;
use crate::logup;
use crate::params::Params;
use crate::pool::Block;
use crate::program::{GpuProgram, Sink};
use crate::protocol::{self, GpuProtocol};
use crate::slots::{Slots, packed_words};

/// Rows of a thread of `ratios`, as in the kernel.
const RATIO_ROWS: u64 = 4;
/// Rows of a block of the scans, and its threads.
const SCAN_CHUNK: u64 = 1024;
const SCAN_THREADS: u32 = 256;

/// Words of the buffers that [`running`] takes beside its result, at most.
pub(crate) fn running_words<P: GpuProtocol, D: KernelDevice>(
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    log_height: u32,
    form: RunningForm<'_>,
    totals: usize,
) -> Vec<u64> {
    let columns = form.width();
    let elements = columns as u64 * P::DEGREE as u64;
    let mut words = program.words(2 * columns, 0);
    words.extend(packed_words::<P>(tables, P::UNITS.slots));
    words.extend([protocol::words::<P>((2 * elements) << log_height), columns.div_ceil(2) as u64]);
    // Totals of blocks, and what comes before each, level by level.
    let mut count = 1u64 << log_height;
    while count > SCAN_CHUNK {
        count = count.div_ceil(SCAN_CHUNK);
        words.extend([protocol::words::<P>(elements * count); 2]);
    }
    if matches!(form, RunningForm::Logup(_)) {
        words.push(protocol::words::<P>((P::DEGREE as u64) << log_height));
    }
    if totals > 0 {
        words.push(protocol::words::<P>(totals as u64 * P::DEGREE as u64));
    }
    words
}

/// Ratios of outputs (numerator, denominator) of a program at every row: of every pair the first extension column is the ratio, the
/// second of no use.
pub(crate) fn ratios<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    op: Operation,
    program: &GpuProgram<P, D>,
    (tables, log_height): (&[Table<'_, D>], u32),
    params: &[P::Ext],
    pairs: &[(usize, usize)],
) -> Result<Block<D::Memory>> {
    let mut sinks: Vec<Vec<Sink<P::Ext>>> = (0..program.program().outputs().len()).map(|_| Vec::new()).collect();
    for (number, (numerator, denominator)) in pairs.iter().enumerate() {
        sinks[*numerator].push(Sink::Store { column: 2 * number as u32 });
        sinks[*denominator].push(Sink::Store { column: 2 * number as u32 + 1 });
    }
    let encoded = program.encode(op, params, 0, &sinks)?;
    let slots = Slots::new(call, tables)?;
    let uploaded = upload_program(call, program, &encoded, tables, &slots)?;
    let count = 1u64 << log_height;
    let values = call.alloc_elements(pairs.len() as u64 * 2 * P::DEGREE as u64 * count)?;
    let params = Params::new().u64(count).u32(uploaded.instructions).u32(0).u32(log_height).u32(log_height);
    let mut buffers = slots.arguments(&values);
    buffers.extend(uploaded.arguments());
    buffers.push(whole(&values));
    run_program(call, program, (&encoded, &uploaded), Purpose::Rows, count, &buffers, params)?;

    let threads = count.div_ceil(RATIO_ROWS);
    let params = Params::new().u64(count).u64(threads).u32(pairs.len() as u32);
    let entry = Entry { unit: P::UNITS.scan, name: "ratios", defines: &call.degree() };
    call.launch_items(entry, threads, pairs.len() as u32, &[whole(&values)], params)?;
    Ok(values)
}

/// All requests are enqueued before their totals are waited for.
pub(crate) fn running<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[Running<'_, GpuBackend<D, P>>],
) -> Result<Vec<Accumulated<GpuBackend<D, P>>>> {
    let has_total = |args: &&Running<'_, _>| matches!(args.form, RunningForm::Logup(_));
    let count = requests.iter().filter(has_total).count() as u64;
    let totals = if count > 0 { Some(call.alloc_elements(count * P::DEGREE as u64)?) } else { None };
    let (mut tables, mut number) = (Vec::with_capacity(requests.len()), 0);
    for args in requests {
        tables.push(match (args.form, &totals) {
            (RunningForm::Logup(fractions), Some(totals)) => {
                number += 1;
                (logup::logup(call, args, fractions, (totals, number - 1))?, true)
            }
            (RunningForm::Logup(_), None) => continue,
            (RunningForm::Columns(running), _) => (columns(call, args, running)?, false),
        });
    }
    // Transfers are whole words.
    let mut words = vec![0u64; protocol::words::<P>(count * P::DEGREE as u64) as usize];
    if let Some(totals) = &totals {
        call.download(totals, 0, &mut words)?;
    }
    let elements: &[P::Base] = bytemuck::cast_slice(&words);
    let mut totals = elements.chunks_exact(P::DEGREE).filter_map(P::Ext::from_coordinates);
    let made = tables.into_iter().map(|(columns, has_total)| {
        let total = if has_total { totals.next() } else { None };
        Accumulated { columns, total: total.unwrap_or(P::Ext::ZERO) }
    });
    Ok(made.collect())
}

/// Columns that accumulate each for itself.
fn columns<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &Running<'_, GpuBackend<D, P>>,
    running: &[RunningColumn],
) -> Result<NewTable<D>> {
    let op = Operation::Running;
    let result = new_table(call, op, running.len() * P::DEGREE, args.log_height)?;
    let pairs: Vec<(usize, usize)> = running.iter().map(|column| (column.numerator, column.denominator)).collect();
    let values = ratios(call, op, args.program, (args.columns, args.log_height), args.params, &pairs)?;
    let flags: Vec<u32> = running.iter().map(flags).collect();
    scan(call, (whole(&values), 2 * P::DEGREE as u32), &flags, 1 << args.log_height, &result.data.block)?;
    Ok(result)
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

/// A sum up to every row, that row included.
pub(crate) const INCLUSIVE_SUM: u32 = 2;

/// As in the kernel.
fn flags(column: &RunningColumn) -> u32 {
    u32::from(column.kind == RunningKind::Product) | u32::from(column.inclusive) << 1
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
