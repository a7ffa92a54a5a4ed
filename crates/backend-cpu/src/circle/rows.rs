//! Columns in row order that a program defines: the fractions of logup (circle.md, section 16) and the outputs of a map.
//!
//! Blocks of rows find their ratios, with one inversion each, and the sums across a row; the running sum of the last column takes what the
//! blocks before have added up to.

use field::{ExtensionField, Field, M31, QM31};
use gpu_hal::{CircleStark, Columns, Logup, Map, Operation, Result, Schedule, StarkBackend};
use rayon::prelude::*;

use super::interpreter::{Executable, Machine, Outputs, coordinates, registers_per_row};
use super::loads::Loads;
use crate::blocks::{blocks_mut, log_block};
use crate::circle::m31::{LANES, Lanes, QLanes, batch_inverse};
use crate::memory::{CpuBuffer, Memory};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Bytes of registers and outputs that should stay in the nearest caches.
const NEAR_BYTES: usize = 256 << 10;
/// Rows of a run, as logarithms.
const LOG_RUN: std::ops::RangeInclusive<u32> = 5..=9;
/// Fewer rows are left to the reference's way.
pub(super) const LOG_LEAST: u32 = 5;

/// How a program is run on rows: runs of `2^log_run`, blocks of `2^log_block`.
pub(super) struct Plan<'a> {
    pub(super) executable: Executable<'a>,
    /// First array of every output that is wanted.
    pub(super) slots: Vec<Option<usize>>,
    /// Arrays of all outputs.
    pub(super) arrays: usize,
    pub(super) log_run: u32,
    pub(super) log_block: u32,
}

impl<'a> Plan<'a> {
    /// Slots of `size` arrays for the outputs that are wanted.
    fn slots(schedule: &Schedule<CircleStark>, wanted: impl Iterator<Item = usize>, size: usize) -> Vec<Option<usize>> {
        let mut slots = vec![None; schedule.program().outputs().len()];
        let mut next = 0;
        for output in wanted {
            if slots[output].is_none() {
                slots[output] = Some(next);
                next += size;
            }
        }
        slots
    }

    /// Log2 of the rows of a run whose registers and outputs stay near, at most all rows.
    pub(super) fn log_run(schedule: &Schedule<CircleStark>, arrays: usize, log_height: u32) -> u32 {
        let log_run = (NEAR_BYTES / (4 * (registers_per_row(schedule) + arrays + 8))).max(1).ilog2();
        log_run.clamp(*LOG_RUN.start(), *LOG_RUN.end()).min(log_height)
    }

    /// Log2 of the rows of the longest run on tables that may be periodic: not longer than the lowest that is not empty, but for a run that
    /// is shorter than a register.
    pub(super) fn longest_run(tables: &[Columns<&CpuBuffer<M31>>]) -> u32 {
        let lowest = tables.iter().filter(|table| table.width > 0).map(|table| table.log_height).min();
        lowest.unwrap_or(u32::MAX).max(LANES.ilog2())
    }

    pub(super) fn scratch(&self) -> Scratch {
        Scratch {
            machine: self.executable.machine(),
            outputs: vec![0; self.arrays << self.log_run],
            norms: vec![0; 1 << self.log_run],
            before: vec![0; 1 << self.log_run],
        }
    }
}

/// One thread's arrays.
pub(super) struct Scratch {
    machine: Machine,
    /// The arrays of the outputs, each of a run.
    pub(super) outputs: Vec<u32>,
    norms: Vec<u32>,
    before: Vec<u32>,
}

/// The columns and the total; the arguments are checked, and there are at least `2^LOG_LEAST` rows.
pub(super) fn logup<B>(
    memory: &Memory,
    level: SimdLevel,
    args: &Logup<'_, B>,
) -> Result<(Columns<CpuBuffer<M31>>, QM31)>
where
    B: StarkBackend<P = CircleStark, Buffer = CpuBuffer<M31>, Program = Schedule<CircleStark>>,
{
    let width = args.fractions.len();
    let mut result = memory.columns(Operation::Logup, 4 * width, args.log_height)?;
    let wanted = args.fractions.iter().flat_map(|(numerator, denominator)| [*numerator, *denominator]);
    let slots = Plan::slots(args.program, wanted, 4);
    let arrays = 4 * slots.iter().flatten().count();
    let log_run = Plan::log_run(args.program, arrays, args.log_height);
    let loads = Loads::rows(args.columns, log_run);
    let plan = Plan {
        executable: Executable::new(args.program, &loads, args.params),
        slots,
        arrays,
        log_run,
        log_block: log_block(args.log_height, log_run, 12),
    };
    let mut blocks = blocks_mut(result.data.values_mut(), args.log_height, plan.log_block);
    let totals: Vec<QM31> = blocks
        .par_iter_mut()
        .enumerate()
        .map_init(
            || plan.scratch(),
            |scratch, (block, columns)| {
                dispatch(level, Fractions { plan: &plan, fractions: args.fractions, scratch, block, columns });
                let last = columns[4 * (width - 1)..].iter();
                let sum = |column: &&mut [M31]| column.iter().copied().sum();
                let coordinates: Vec<M31> = last.map(sum).collect();
                <QM31 as ExtensionField<M31>>::from_coordinates(&coordinates).expect("four coordinates")
            },
        )
        .collect();
    let total: QM31 = totals.iter().copied().sum();
    let mean = total * M31::new(1 << args.log_height).inverse_or_zero();
    let rows = M31::new(1 << plan.log_block);
    let starts: Vec<QM31> = totals
        .iter()
        .scan(QM31::ZERO, |before, total| {
            let start = *before;
            *before += *total - mean * rows;
            Some(start)
        })
        .collect();
    blocks.par_iter_mut().zip(starts).for_each(|(columns, start)| {
        for (k, column) in columns[4 * (width - 1)..].iter_mut().enumerate() {
            let (mut sum, mean) = (start.0[k], mean.0[k]);
            for value in column.iter_mut() {
                sum += *value - mean;
                *value = sum;
            }
        }
    });
    Ok((result, total))
}

/// One task of [`logup`]: sums of ratios across the rows of a block.
struct Fractions<'s, 'r, 'a> {
    plan: &'s Plan<'a>,
    fractions: &'s [(usize, usize)],
    scratch: &'s mut Scratch,
    block: usize,
    columns: &'s mut [&'r mut [M31]],
}

impl Kernel for Fractions<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { plan, fractions, scratch, block, columns } = self;
        let (rows, log_runs) = (1usize << plan.log_run, plan.log_block - plan.log_run);
        for index in 0..1 << log_runs {
            let arrays = scratch.outputs.as_mut_ptr();
            let outputs = Outputs { slots: &plan.slots, widen: true, arrays };
            // SAFETY: there are four arrays for every slot.
            unsafe { plan.executable.run::<I::M31>((block << log_runs) + index, &mut scratch.machine, &outputs) };
            let first = index * rows;
            let mut before = [std::ptr::null(); 4];
            for (number, (numerator, denominator)) in fractions.iter().enumerate() {
                let mut places = [[std::ptr::null(); 4]; 2];
                for (places, output) in places.iter_mut().zip([*numerator, *denominator]) {
                    let slot = plan.slots[output].expect("every fraction has slots");
                    *places = coordinates(arrays.wrapping_add(slot * rows), rows).map(<*mut u32>::cast_const);
                }
                let mut targets = [std::ptr::null_mut::<u32>(); 4];
                for (target, column) in targets.iter_mut().zip(&mut columns[4 * number..]) {
                    *target = column[first..first + rows].as_mut_ptr().cast();
                }
                let norms = scratch.norms.as_mut_ptr();
                let mut row = 0;
                while row < rows {
                    // SAFETY: outputs, norms and targets have `rows` words, a multiple of 16.
                    unsafe {
                        let (adjugate, norm) = QLanes::<I::M31>::load(places[1], row).adjugate();
                        norm.store(norms.add(row));
                        QLanes::load(places[0], row).mul(adjugate).store(targets, row);
                    }
                    row += LANES;
                }
                batch_inverse::<I::M31>(&mut scratch.norms, &mut scratch.before);
                let mut row = 0;
                while row < rows {
                    // SAFETY: as above; the column before is done.
                    unsafe {
                        let inverse = lanes::<I>(&scratch.norms, row);
                        let ratio = QLanes::<I::M31>::load(targets.map(<*mut u32>::cast_const), row).mul_base(inverse);
                        let sum = if number == 0 { ratio } else { ratio.add(QLanes::load(before, row)) };
                        sum.store(targets, row);
                    }
                    row += LANES;
                }
                before = targets.map(<*mut u32>::cast_const);
            }
        }
    }
}

/// Words `row..row + 16`.
#[inline(always)]
fn lanes<I: Isa>(values: &[u32], row: usize) -> I::M31 {
    let values = &values[row..row + LANES];
    // SAFETY: sixteen words.
    unsafe { I::M31::load(values.as_ptr()) }
}

/// The columns; the arguments are checked, and there are at least `2^LOG_LEAST` rows.
pub(super) fn map<B>(memory: &Memory, level: SimdLevel, args: &Map<'_, B>) -> Result<Columns<CpuBuffer<M31>>>
where
    B: StarkBackend<P = CircleStark, Buffer = CpuBuffer<M31>, Program = Schedule<CircleStark>>,
{
    let mut result = memory.columns(Operation::Map, args.outputs.len(), args.log_height)?;
    // An output over the extension has no slot, so that one array does.
    let slots = Plan::slots(args.program, args.outputs.iter().copied(), 1);
    let arrays = slots.iter().flatten().count();
    let log_run = Plan::log_run(args.program, arrays, args.log_height).min(Plan::longest_run(args.columns));
    let loads = Loads::rows(args.columns, log_run);
    // No output that is wanted depends on a parameter.
    let params = vec![QM31::ZERO; args.program.program().params()];
    let plan = Plan {
        executable: Executable::new(args.program, &loads, &params),
        slots,
        arrays,
        log_run,
        log_block: log_block(args.log_height, log_run, 12),
    };
    let blocks = blocks_mut(result.data.values_mut(), args.log_height, plan.log_block);
    blocks.into_par_iter().enumerate().for_each_init(
        || plan.scratch(),
        |scratch, (block, mut columns)| {
            let (rows, log_runs) = (1usize << plan.log_run, plan.log_block - plan.log_run);
            for index in 0..1 << log_runs {
                dispatch(level, Run { plan: &plan, scratch, run: (block << log_runs) + index });
                for (column, output) in columns.iter_mut().zip(args.outputs) {
                    let slot = plan.slots[*output].expect("every output that is wanted has a slot");
                    let values = &scratch.outputs[slot * rows..(slot + 1) * rows];
                    column[index * rows..(index + 1) * rows].copy_from_slice(bytemuck::cast_slice(values));
                }
            }
        },
    );
    Ok(result)
}

/// One run of a program whose outputs that are wanted are base values.
pub(super) struct Run<'s, 'a> {
    pub(super) plan: &'s Plan<'a>,
    pub(super) scratch: &'s mut Scratch,
    pub(super) run: usize,
}

impl Kernel for Run<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let arrays = self.scratch.outputs.as_mut_ptr();
        let outputs = Outputs { slots: &self.plan.slots, widen: false, arrays };
        // SAFETY: there is an array for every slot, and no output over the extension has one.
        unsafe { self.plan.executable.run::<I::M31>(self.run, &mut self.scratch.machine, &outputs) };
    }
}
