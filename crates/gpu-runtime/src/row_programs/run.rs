//! A run of a row program on the device.

use gpu_hal::{Columns, Result, RowRun, RowsOutput};
use ir::text::rows::Places;

use super::compiled::Compiled;
use super::encode::Encoded;
use super::kept::Program;
use super::lists::Lists;
use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{Call, Entry, whole};
use crate::device::{BLOCK_THREADS, DeviceInfo, KernelDevice};
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::slots::Slots;
use crate::types::GpuTypes;

/// Most bytes of all threads' files together, unless the files of one block take more.
const SCRATCH_BYTES: u64 = 64 << 20;
/// Most blocks for each multiprocessor.
const BLOCKS: u64 = 8;
/// Words of a fault.
pub(super) const FAULT_WORDS: usize = 3;
/// The row of no fault, and the order of none.
pub(super) const NONE: u32 = u32::MAX;
/// Fewest threads of a block, a multiple of the threads that a GPU runs together.
const MIN_THREADS: u32 = 32;

/// How many blocks run the rows, each thread one after the other.
fn blocks(info: &DeviceInfo, file: u32, rows: u64) -> u64 {
    let block_bytes = u64::from(file.max(1)) * u64::from(BLOCK_THREADS) * size_of::<u32>() as u64;
    let most = (SCRATCH_BYTES / block_bytes).min(BLOCKS * u64::from(info.multiprocessors)).max(1);
    rows.div_ceil(u64::from(BLOCK_THREADS)).min(most)
}

/// Words of a number of halves of words.
pub(super) fn pairs(halves: usize) -> u64 {
    halves.div_ceil(2) as u64
}

pub(super) fn scratch_words(info: &DeviceInfo, file: u32, rows: u64) -> u64 {
    pairs(file as usize) * blocks(info, file, rows) * u64::from(BLOCK_THREADS)
}

/// Threads of a block that runs the rows by a kernel of their own, each thread one of them: fewer where there are few
/// rows, so that all multiprocessors have some.
fn own_threads(info: &DeviceInfo, rows: u64) -> u32 {
    let wanted = rows / (4 * u64::from(info.multiprocessors.max(1)));
    (wanted.max(1).next_power_of_two() as u32).clamp(MIN_THREADS, BLOCK_THREADS).min(info.max_threads)
}

/// How rows are run.
pub(super) enum Execution<'a, D: KernelDevice> {
    Own(&'a D::Kernel),
    Interpreted(&'a Interpreter<D>),
    /// A single row whose fault is to be described.
    Explained(&'a Interpreter<D>),
}

/// A program as the interpreter reads it, and where its threads have their values.
pub(super) struct Interpreter<D: KernelDevice> {
    code: Block<D::Memory>,
    constants: Block<D::Memory>,
    scratch: Block<D::Memory>,
}

impl<D: KernelDevice> Interpreter<D> {
    /// For `rows` rows.
    pub(super) fn new<P: GpuProtocol>(call: Call<'_, D, P>, encoded: &Encoded, rows: u64) -> Result<Self> {
        Ok(Self {
            code: halves(call, &encoded.code)?,
            constants: halves(call, &encoded.constants)?,
            scratch: call.alloc(scratch_words(call.runtime.device.info(), encoded.file, rows))?,
        })
    }
}

/// The tables that a program reads and writes.
pub(super) struct Run<'a, D: KernelDevice> {
    pub(super) program: &'a Program<Compiled<D>>,
    log_height: u32,
    slots: Slots<'a, D>,
    places: Block<D::Memory>,
    pub(super) tallies: Block<D::Memory>,
    pub(super) columns: NewTable<D>,
    pub(super) lists: Lists<D>,
}

impl<'a, D: KernelDevice> Run<'a, D> {
    /// For the first `2^log_height` rows.
    pub(super) fn new<P: GpuProtocol>(
        call: Call<'_, D, P>,
        args: &RowRun<'a, GpuTypes<D, P>>,
        counted: &[usize],
        program: &'a Program<Compiled<D>>,
        log_height: u32,
    ) -> Result<Self> {
        let columns = new_table(call, args.program.width(), log_height)?;
        let lists = Lists::new(call, args.program, log_height)?;
        let read: Vec<Table<'a, D>> = args.source.iter().chain(args.tables).copied().collect();
        let slots = Slots::new(call, &read)?;
        let mut words = Vec::with_capacity(Places::new(args.program, args.source.len()).words);
        for (table, part) in args.source.iter().enumerate() {
            let entries = (part.width / args.program.inputs()) << part.log_height;
            words.extend([slots.column(table, 0), u64::from(part.log_height), entries as u64]);
        }
        for (number, table) in args.tables.iter().enumerate() {
            words.extend([slots.column(args.source.len() + number, 0), u64::from(table.log_height)]);
        }
        words.extend(&lists.columns);
        let mut first = 0;
        for count in counted {
            words.extend([first, *count as u64]);
            first += *count as u64;
        }
        let tallies = call.alloc(pairs(first as usize))?;
        call.zero(&tallies, pairs(first as usize))?;
        Ok(Self { program, log_height, slots, places: call.alloc_words(&words)?, tallies, columns, lists })
    }

    /// Adds the counts to the counters.
    pub(super) fn finish<P: GpuProtocol>(
        self,
        call: Call<'_, D, P>,
        counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
    ) -> Result<RowsOutput<GpuTypes<D, P>>> {
        let mut first = 0;
        for counter in counters {
            let (count, params) = (counter.elements() as u64, Params::new());
            let buffers = [whole(&counter.data.block), whole(&self.tallies)];
            call.launch_items(entry::<P>("add_tallies"), count, 1, &buffers, params.u64(count).u64(first))?;
            first += count;
        }
        Ok(RowsOutput { lists: self.lists.finish(call)?, columns: self.columns })
    }

    /// Runs `count` rows from row `first` on.
    pub(super) fn launch<P: GpuProtocol>(
        &self,
        call: Call<'_, D, P>,
        args: &RowRun<'_, GpuTypes<D, P>>,
        execution: Execution<'_, D>,
        (first, count): (u64, u64),
        faults: &Block<D::Memory>,
    ) -> Result<()> {
        let (encoded, info) = (&self.program.encoded, call.runtime.device.info());
        let is_explained = matches!(execution, Execution::Explained(_));
        let params = Params::new()
            .u64(count)
            .u64(first)
            .u32(encoded.code.len() as u32)
            .u32(args.source.len() as u32)
            .u32(args.program.inputs() as u32)
            // At most as many as rows, of which there are 2^31 at most.
            .u32(args.entries() as u32)
            .u32(args.period.max(1) as u32)
            .u32(self.log_height)
            .u32(encoded.modulus)
            .u32(encoded.work)
            .u32(u32::from(is_explained));
        let columns = &self.columns.data.block;
        // A kernel of its own does not read the first three.
        let of_interpreter = match &execution {
            Execution::Own(_) => [columns; 3],
            Execution::Interpreted(interpreter) | Execution::Explained(interpreter) => {
                [&interpreter.code, &interpreter.constants, &interpreter.scratch]
            }
        };
        let [code, constants, scratch] = of_interpreter;
        let mut buffers = self.slots.arguments(columns);
        buffers.extend([code, constants, &self.places, scratch, &self.tallies, faults, columns].map(whole));
        buffers.extend(self.lists.arguments(columns));
        match execution {
            Execution::Own(kernel) => {
                let threads = own_threads(info, count);
                call.launch_kernel(kernel, [count.div_ceil(u64::from(threads)), 1], threads, &buffers, params)
            }
            Execution::Interpreted(_) => {
                let blocks = blocks(info, encoded.file, count);
                call.launch_blocks(entry::<P>("run_rows"), blocks, 1, BLOCK_THREADS, &buffers, params)
            }
            Execution::Explained(_) => call.launch_blocks(entry::<P>("run_rows"), 1, 1, 1, &buffers, params),
        }
    }
}

/// Where faults are written to.
pub(super) fn no_faults<D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>) -> Result<Block<D::Memory>> {
    call.alloc_words(&[u64::MAX; FAULT_WORDS])
}

/// The first fault that was written: a row, an order, details.
pub(super) fn first_fault<D: KernelDevice, P: GpuProtocol>(
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

/// New memory with these numbers; at least one word.
fn halves<D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>, numbers: &[u32]) -> Result<Block<D::Memory>> {
    let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
    call.alloc_words(&numbers.chunks(2).map(pair).collect::<Vec<_>>())
}
