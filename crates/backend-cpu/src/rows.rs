//! Columns in row order that a program defines: runs of a program over blocks of rows, the outputs of a map, and the
//! rows of a level of a binary tree.

use field::Field;
use gpu_hal::ir::Schedule;
use gpu_hal::{CancelToken, Columns, MapArgs, Operation, Result, TreeMapArgs};
use rayon::prelude::*;

use crate::blocks::{blocks_mut, log_block, whole_registers};
use crate::cpu::{Cpu, CpuProtocol};
use crate::interpreter::{Executable, Machine, Outputs, registers_per_row};
use crate::lanes::MAX_LANES;
use crate::loads::Loads;
use crate::memory::{CpuBuffer, Memory};
use crate::nodes::{self, Block};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Rows of a run, as logarithms. Finding the next instruction costs more than registers that leave the nearest cache:
/// programs of thousands of them take twice as long with a quarter as many rows.
const LOG_RUN: std::ops::RangeInclusive<u32> = 7..=9;
/// Rows of a task, as a logarithm.
const LOG_BLOCK: u32 = 12;

/// A program, and where its outputs go.
pub(crate) struct Program<'a, P: CpuProtocol> {
    pub(crate) executable: Executable<'a, P>,
    /// First array of every output that is wanted.
    pub(crate) slots: Vec<Option<usize>>,
    /// Arrays of all outputs.
    pub(crate) arrays: usize,
    /// Whether all outputs are wanted over the extension.
    pub(crate) widen: bool,
    pub(crate) log_run: u32,
}

/// Slots of `size` arrays for the outputs that are wanted, and the number of arrays.
pub(crate) fn slots(count: usize, wanted: impl Iterator<Item = usize>, size: usize) -> (Vec<Option<usize>>, usize) {
    let (mut slots, mut next) = (vec![None; count], 0);
    for output in wanted {
        if slots[output].is_none() {
            slots[output] = Some(next);
            next += size;
        }
    }
    (slots, next)
}

/// Log2 of the rows of a run whose registers and outputs stay near: at most all `2^log_rows`, at least a register.
pub(crate) fn log_run<P: CpuProtocol>(schedule: &Schedule<P>, arrays: usize, log_rows: u32) -> u32 {
    let per_row = size_of::<P::Word>() * (registers_per_row(schedule) + arrays + 8);
    let log_run = (P::NEAR_BYTES / per_row).max(1).ilog2();
    log_run.clamp(*LOG_RUN.start(), *LOG_RUN.end()).min(log_rows).max(MAX_LANES.ilog2())
}

/// Log2 of the rows of the longest run on tables that may be periodic: not longer than the lowest that is not empty,
/// except for a run that is shorter than a register.
fn longest_run<F: Field>(tables: &[Columns<&CpuBuffer<F>>]) -> u32 {
    let lowest = tables.iter().filter(|table| table.width > 0).map(|table| table.log_height).min();
    lowest.unwrap_or(u32::MAX).max(MAX_LANES.ilog2())
}

impl<P: CpuProtocol> Program<'_, P> {
    /// One thread's arrays.
    pub(crate) fn scratch(&self) -> Scratch<P::Word> {
        Scratch { machine: self.executable.machine(), outputs: vec![P::Word::default(); self.arrays << self.log_run] }
    }

    /// Puts the outputs of a run into the scratch.
    #[inline(always)]
    pub(crate) fn run<I: Isa>(&self, run: usize, scratch: &mut Scratch<P::Word>) {
        let mut outputs = Outputs { slots: &self.slots, widen: self.widen, arrays: &mut scratch.outputs };
        self.executable.run::<I, _>(run, &mut scratch.machine, &mut outputs);
    }
}

/// One thread's arrays.
pub(crate) struct Scratch<W> {
    machine: Machine<W>,
    /// The arrays of the outputs, each of a run.
    pub(crate) outputs: Vec<W>,
}

/// One run of a program whose outputs that are wanted are base values.
struct Run<'s, 'a, P: CpuProtocol> {
    program: &'s Program<'a, P>,
    scratch: &'s mut Scratch<P::Word>,
    run: usize,
}

impl<P: CpuProtocol> Kernel for Run<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        self.program.run::<I>(self.run, self.scratch);
    }
}

/// [`gpu_hal::StarkBackend::map`]; the arguments are checked.
pub(crate) fn map<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    args: &MapArgs<'_, Cpu<P>>,
) -> Result<Columns<CpuBuffer<P::Base>>> {
    let mut result = memory.columns(Operation::Map, args.outputs.len(), args.log_height)?;
    let schedule = args.program;
    let (slots, arrays) = slots(schedule.program().outputs().len(), args.outputs.iter().copied(), 1);
    let log_run = log_run(schedule, arrays, args.log_height).min(longest_run(args.columns));
    let loads = Loads::rows(args.columns, log_run);
    // No output that is wanted depends on a parameter.
    let params = vec![P::Ext::ZERO; schedule.program().params()];
    let executable = Executable::new(schedule, &loads, &params);
    let program = Program { executable, slots, arrays, widen: false, log_run };
    let stop = CancelToken::here();
    whole_registers(result.data.values_mut(), args.log_height, |values, log_height| {
        let log_block = log_block(log_height, log_run, LOG_BLOCK);
        blocks_mut(values, log_height, log_block).into_par_iter().enumerate().for_each_init(
            || program.scratch(),
            |scratch, (block, mut columns)| {
                let (rows, log_runs) = (1usize << log_run, log_block - log_run);
                for index in 0..1 << log_runs {
                    if stop.is_stopped() {
                        return;
                    }
                    dispatch(level, Run { program: &program, scratch, run: (block << log_runs) + index });
                    for (column, output) in columns.iter_mut().zip(args.outputs) {
                        let slot = program.slots[*output].expect("every output that is wanted has a slot");
                        let values = &scratch.outputs[slot * rows..(slot + 1) * rows];
                        column[index * rows..(index + 1) * rows].copy_from_slice(bytemuck::cast_slice(values));
                    }
                }
            },
        );
    });
    Ok(result)
}

/// [`gpu_hal::StarkBackend::tree_map`]; the arguments are checked.
pub(crate) fn tree_map<P: CpuProtocol>(
    memory: &Memory,
    simd: SimdLevel,
    args: &TreeMapArgs<'_, Cpu<P>>,
) -> Result<Columns<CpuBuffer<P::Base>>> {
    nodes::tree_map(memory, args, |program, tables, blocks| level(simd, program, tables, blocks))
}

/// Runs a program on the blocks of a level of a binary tree.
fn level<P: CpuProtocol>(
    level: SimdLevel,
    schedule: &Schedule<P>,
    tables: &[Columns<&CpuBuffer<P::Base>>],
    blocks: Vec<Block<'_, P::Base>>,
) {
    let outputs = schedule.program().outputs().len();
    let log_run = log_run(schedule, outputs, blocks[0].rows().ilog2()).min(longest_run(tables));
    let loads = Loads::rows(tables, log_run);
    // No output depends on a parameter.
    let params = vec![P::Ext::ZERO; schedule.program().params()];
    let executable = Executable::new(schedule, &loads, &params);
    let slots = (0..outputs).map(Some).collect();
    let program = Program { executable, slots, arrays: outputs, widen: false, log_run };
    blocks.into_par_iter().for_each_init(
        || program.scratch(),
        |scratch, mut block| {
            let length = 1 << log_run;
            // A block may be a part of a run.
            let rows = block.rows().min(length);
            for at in (0..block.rows()).step_by(rows) {
                let first = block.first + at;
                dispatch(level, Run { program: &program, scratch, run: first >> log_run });
                for (output, values) in scratch.outputs.chunks_exact(length).enumerate() {
                    let values = &values[first & (length - 1)..][..rows];
                    block.set(output, at, bytemuck::cast_slice(values));
                }
            }
        },
    );
}
