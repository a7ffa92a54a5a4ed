//! Row programs: an interpreter with a row a thread, whose values are in scratch memory.

mod encode;
mod faults;
mod kept;
mod lists;
mod prime;

use std::sync::Arc;

use gpu_hal::{Columns, ErrorKind, HalError, Result, RowProgram, RowRun, RowsMade, Shape, Verdict};

use self::encode::{Encoded, Places};
pub(crate) use self::kept::KeptPrograms;
use self::lists::{Lists, packed_words};
use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{BLOCK_THREADS, Call, Entry, Runtime, whole};
use crate::device::{DeviceInfo, KernelDevice};
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::slots::{self, Slots};
use crate::types::GpuTypes;

/// Most bytes of all threads' files together, unless those of one block take more.
const SCRATCH_BYTES: u64 = 64 << 20;
/// Most blocks for each multiprocessor.
const BLOCKS: u64 = 8;
/// Words of what a fault is written to.
const FAULT_WORDS: usize = 3;
/// The row of no fault, and the order of none.
const NONE: u32 = u32::MAX;

/// How many blocks run the rows, each thread one after the other.
fn blocks(info: &DeviceInfo, file: u32, rows: u64) -> u64 {
    let block_bytes = u64::from(file.max(1)) * u64::from(BLOCK_THREADS) * size_of::<u32>() as u64;
    let most = (SCRATCH_BYTES / block_bytes).min(BLOCKS * u64::from(info.multiprocessors)).max(1);
    rows.div_ceil(u64::from(BLOCK_THREADS)).min(most)
}

/// Words of so many halves of words.
fn pairs(halves: usize) -> u64 {
    halves.div_ceil(2) as u64
}

fn scratch_words(info: &DeviceInfo, file: u32, rows: u64) -> u64 {
    pairs(file as usize) * blocks(info, file, rows) * u64::from(BLOCK_THREADS)
}

/// Words of the buffers that [`run`] takes beside its results.
pub(crate) fn rows_words<D: KernelDevice, P: GpuProtocol>(
    runtime: &Runtime<D, P>,
    program: &RowProgram<P::Base>,
    (source, tables): (&[Shape], &[Shape]),
    counted: usize,
    log_height: u32,
) -> Vec<u64> {
    let places = Places::new(program, source.len());
    let heights: Vec<u32> = tables.iter().map(|table| table.log_height).collect();
    let encoded = runtime.row_programs.get(program, &heights, log_height, source.len());
    let read: Vec<Shape> = source.iter().chain(tables).copied().collect();
    let mut words = vec![
        pairs(encoded.code.len()),
        pairs(encoded.constants.len()),
        places.words as u64,
        scratch_words(runtime.device.info(), encoded.file, 1 << log_height),
        pairs(counted),
        FAULT_WORDS as u64,
    ];
    words.extend(slots::packed_words::<P>(&read, P::UNITS.slots));
    words.extend(packed_words::<P>(program, log_height));
    words
}

/// A program and all that its kernel takes.
struct Run<'a, D: KernelDevice> {
    encoded: Arc<Encoded>,
    slots: Slots<'a, D>,
    code: Block<D::Memory>,
    constants: Block<D::Memory>,
    places: Block<D::Memory>,
    scratch: Block<D::Memory>,
    tallies: Block<D::Memory>,
    columns: NewTable<D>,
    lists: Lists<D>,
}

/// [`gpu_hal::StarkBackend::rows`]; the shapes are checked. It waits, as it says whether a row has a fault.
pub(crate) fn run<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RowRun<'_, GpuTypes<D, P>>,
    counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
) -> Result<RowsMade<GpuTypes<D, P>>> {
    let counted: Vec<usize> = counters.iter().map(Columns::elements).collect();
    let (run, faults) = (Run::new(call, args, &counted)?, no_faults(call)?);
    run.launch_all(call, args, &faults)?;
    let row = first_fault(call, &faults)?[0];
    if row != NONE {
        return Err(run.explain(call, args, &counted, (row, &faults))?);
    }
    run.finish(call, counters)
}

/// [`gpu_hal::StarkBackend::rows_ahead`]: the verdict keeps where all its runs write their faults.
pub(crate) fn run_ahead<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RowRun<'_, GpuTypes<D, P>>,
    counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
    verdict: &mut Verdict,
) -> Result<RowsMade<GpuTypes<D, P>>> {
    let counted: Vec<usize> = counters.iter().map(Columns::elements).collect();
    let run = Run::new(call, args, &counted)?;
    if verdict.get::<Block<D::Memory>>().is_none() {
        verdict.keep(no_faults(call)?);
    }
    if let Some(faults) = verdict.get::<Block<D::Memory>>() {
        run.launch_all(call, args, faults)?;
    }
    run.finish(call, counters)
}

/// [`gpu_hal::StarkBackend::had_fault`].
pub(crate) fn had_fault<D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>, verdict: &Verdict) -> Result<bool> {
    match verdict.get::<Block<D::Memory>>() {
        Some(faults) => Ok(first_fault(call, faults)?[0] != NONE),
        None => Ok(false),
    }
}

/// Where faults are written to.
fn no_faults<D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>) -> Result<Block<D::Memory>> {
    call.alloc_words(&[u64::MAX; FAULT_WORDS])
}

/// What was written of faults: a row, an order, details.
fn first_fault<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    faults: &Block<D::Memory>,
) -> Result<[u32; 2 * FAULT_WORDS]> {
    let mut words = [0; FAULT_WORDS];
    call.download(faults, 0, &mut words)?;
    Ok(bytemuck::cast(words))
}

fn entry<P: GpuProtocol>(name: &'static str) -> Entry<'static> {
    Entry { unit: P::UNITS.row_programs, name, defines: &[] }
}

impl<'a, D: KernelDevice> Run<'a, D> {
    fn new<P: GpuProtocol>(call: Call<'_, D, P>, args: &RowRun<'a, GpuTypes<D, P>>, counted: &[usize]) -> Result<Self> {
        let (program, log_height) = (args.program, args.log_height);
        let columns = new_table(call, program.width(), log_height)?;
        let lists = Lists::new(call, program, log_height)?;
        let heights: Vec<u32> = args.tables.iter().map(|table| table.log_height).collect();
        let places = Places::new(program, args.source.len());
        let encoded = call.runtime.row_programs.get(program, &heights, log_height, args.source.len());
        let read: Vec<Table<'a, D>> = args.source.iter().chain(args.tables).copied().collect();
        let slots = Slots::new(call, &read)?;
        let mut words = Vec::with_capacity(places.words);
        for (table, part) in args.source.iter().enumerate() {
            let entries = (part.width / program.inputs()) << part.log_height;
            words.extend([slots.column(table, 0), u64::from(part.log_height), entries as u64]);
        }
        for (table, log_height) in (args.source.len()..).zip(heights) {
            words.extend([slots.column(table, 0), u64::from(log_height)]);
        }
        words.extend(&lists.columns);
        let mut first = 0;
        for count in counted {
            words.extend([first, *count as u64]);
            first += *count as u64;
        }
        let tallies = call.alloc(pairs(first as usize))?;
        call.zero(&tallies, pairs(first as usize))?;
        let scratch = scratch_words(call.runtime.device.info(), encoded.file, 1 << log_height);
        Ok(Self {
            slots,
            code: halves(call, &encoded.code)?,
            constants: halves(call, &encoded.constants)?,
            places: call.alloc_words(&words)?,
            scratch: call.alloc(scratch)?,
            tallies,
            columns,
            lists,
            encoded,
        })
    }

    /// Runs all rows.
    fn launch_all<P: GpuProtocol>(
        &self,
        call: Call<'_, D, P>,
        args: &RowRun<'_, GpuTypes<D, P>>,
        faults: &Block<D::Memory>,
    ) -> Result<()> {
        let rows = 1u64 << args.log_height;
        let blocks = blocks(call.runtime.device.info(), self.encoded.file, rows);
        self.launch(call, args, (0, rows), (blocks, BLOCK_THREADS), faults)
    }

    /// Adds what was counted to the counters.
    fn finish<P: GpuProtocol>(
        self,
        call: Call<'_, D, P>,
        counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
    ) -> Result<RowsMade<GpuTypes<D, P>>> {
        let mut first = 0;
        for counter in counters {
            let (count, params) = (counter.elements() as u64, Params::new());
            let buffers = [whole(&counter.data.block), whole(&self.tallies)];
            call.launch_items(entry::<P>("add_tallies"), count, 1, &buffers, params.u64(count).u64(first))?;
            first += count;
        }
        Ok(RowsMade { lists: self.lists.finish(call)?, columns: self.columns })
    }

    /// Runs `count` rows from row `first` on. A single row is run to describe its fault.
    fn launch<P: GpuProtocol>(
        &self,
        call: Call<'_, D, P>,
        args: &RowRun<'_, GpuTypes<D, P>>,
        (first, count): (u64, u64),
        (blocks, threads): (u64, u32),
        faults: &Block<D::Memory>,
    ) -> Result<()> {
        let encoded = &self.encoded;
        let params = Params::new()
            .u64(count)
            .u64(first)
            .u32(encoded.code.len() as u32)
            .u32(args.source.len() as u32)
            .u32(args.program.inputs() as u32)
            // At most as many as rows, of which there are 2^31 at most.
            .u32(args.entries() as u32)
            .u32(args.period.max(1) as u32)
            .u32(args.log_height)
            .u32(encoded.modulus)
            .u32(encoded.work)
            .u32(u32::from(threads == 1));
        let columns = &self.columns.data.block;
        let mut buffers = self.slots.arguments(columns);
        let own = [&self.code, &self.constants, &self.places, &self.scratch, &self.tallies, faults, columns];
        buffers.extend(own.map(whole));
        buffers.extend(self.lists.arguments(columns));
        call.launch_blocks(entry::<P>("run_rows"), blocks, 1, threads, &buffers, params)
    }

    /// The error of the first row that has a fault: it is run again, alone.
    fn explain<P: GpuProtocol>(
        &self,
        call: Call<'_, D, P>,
        args: &RowRun<'_, GpuTypes<D, P>>,
        counted: &[usize],
        (row, faults): (u32, &Block<D::Memory>),
    ) -> Result<HalError> {
        self.launch(call, args, (u64::from(row), 1), (1, 1), faults)?;
        let [_, order, a, b, c, _] = first_fault(call, faults)?;
        let fault = faults::fault(args, counted, order, [a, b, c]);
        Ok(fault.map_or_else(
            || HalError::new(ErrorKind::Backend, call.op.name(), format!("row {row} was refused, but has no fault")),
            |fault| fault.at(row as usize),
        ))
    }
}

/// New memory with these numbers; at least one word.
fn halves<D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>, numbers: &[u32]) -> Result<Block<D::Memory>> {
    let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
    call.alloc_words(&numbers.chunks(2).map(pair).collect::<Vec<_>>())
}
