//! Running products and sums: ratios and their scan block by block, then every block times (plus) what came before it.

use field::{Field, Goldilocks};
use gpu_hal::{Columns, GoldilocksStark, Operation, Result, Running, RunningColumn, RunningKind, Schedule, StarkBackend};
use rayon::prelude::*;

use super::blocks::{blocks_mut, level_for, log_block};
use super::interpreter::{BaseSource, Executable, ExtSource, Machine, Sink, registers_per_row};
use super::inverse::batch_inverse;
use super::lanes::{ExtLanes, LaneField, MAX_DEGREE, Sources, Targets};
use super::loads::Loads;
use crate::fast::arith::{Packed, SimdKernel, SimdLevel, dispatch};
use crate::memory::{CpuBuffer, Memory};

/// Bytes of registers that should stay in the nearest cache.
const NEAR_BYTES: usize = 32 << 10;
/// Rows of a run, as logarithms.
const LOG_RUN: std::ops::RangeInclusive<u32> = 6..=8;
/// Bytes of ratios that a task may hold.
const BLOCK_BYTES: usize = 1 << 20;
const LOG_BLOCK: u32 = 11;

struct Plan<'a, E: LaneField> {
    executable: Executable<'a, E>,
    columns: &'a [RunningColumn],
    /// For every output of the program its slot.
    slots: Vec<Option<usize>>,
    log_run: u32,
    log_block: u32,
}

/// Builds the columns; the arguments are checked.
pub(crate) fn running<E, B>(memory: &Memory, level: SimdLevel, args: &Running<'_, B>) -> Result<Columns<CpuBuffer<Goldilocks>>>
where
    E: LaneField,
    B: StarkBackend<P = GoldilocksStark<E>, Buffer = CpuBuffer<Goldilocks>, Program = Schedule<GoldilocksStark<E>>>,
{
    let schedule = args.program;
    let mut result = memory.columns(Operation::Running, args.running.len() * E::DEGREE, args.log_height)?;
    let mut slots = vec![None; schedule.program().outputs().len()];
    let mut used = 0;
    for output in args.running.iter().flat_map(|column| [column.numerator, column.denominator]) {
        slots[output].get_or_insert_with(|| {
            used += 1;
            used - 1
        });
    }
    let per_row = registers_per_row(schedule) + used * E::DEGREE;
    let log_run = (NEAR_BYTES / (8 * per_row)).max(1).ilog2().clamp(*LOG_RUN.start(), *LOG_RUN.end());
    let log_run = log_run.min(args.log_height);
    let loads = Loads::rows(args.columns, log_run);
    let per_row = args.running.len() * (E::DEGREE + 2);
    let log_most = (BLOCK_BYTES / (8 * per_row)).max(1).ilog2().min(LOG_BLOCK);
    let plan = Plan {
        executable: Executable::new(schedule, &loads, args.params),
        columns: args.running,
        slots,
        log_run,
        log_block: log_block(args.log_height, log_run, log_most),
    };
    let level = level_for(level, log_run);
    let mut blocks = blocks_mut(result.data.values_mut(), args.log_height, plan.log_block);
    let totals: Vec<Vec<E>> = blocks
        .par_iter_mut()
        .enumerate()
        .map_init(|| Scratch::new(&plan, used), |scratch, (block, columns)| {
            dispatch(level, Block { plan: &plan, scratch, block, columns })
        })
        .collect();
    let mut before: Vec<E> = args.running.iter().map(|column| identity(column.kind)).collect();
    let mut starts = Vec::with_capacity(totals.len());
    for total in totals {
        starts.push(before.clone());
        for ((before, total), column) in before.iter_mut().zip(total).zip(args.running) {
            *before = join(column.kind, *before, total);
        }
    }
    blocks.par_iter_mut().zip(starts).skip(1).for_each(|(columns, start)| {
        dispatch(level, Carry { columns, kinds: args.running, start: &start });
    });
    Ok(result)
}

fn identity<E: Field>(kind: RunningKind) -> E {
    match kind {
        RunningKind::Product => E::ONE,
        RunningKind::Sum => E::ZERO,
    }
}

fn join<E: Field>(kind: RunningKind, a: E, b: E) -> E {
    match kind {
        RunningKind::Product => a * b,
        RunningKind::Sum => a + b,
    }
}

/// One thread's arrays.
struct Scratch {
    machine: Machine,
    /// Coordinate k of output slot s: a run at `(s * DEGREE + k)` runs.
    outputs: Vec<u64>,
    /// Coordinate k of running column c: a block at `(c * DEGREE + k)` blocks.
    ratios: Vec<u64>,
    /// Column c: a block at `c` blocks.
    norms: Vec<u64>,
    before: Vec<u64>,
}

impl Scratch {
    fn new<E: LaneField>(plan: &Plan<'_, E>, used: usize) -> Self {
        let norms = plan.columns.len() << plan.log_block;
        Self {
            machine: plan.executable.machine(),
            outputs: vec![0; (used * E::DEGREE) << plan.log_run],
            ratios: vec![0; norms * E::DEGREE],
            norms: vec![0; norms],
            before: vec![0; norms],
        }
    }
}

/// The addresses of the coordinates of extension array `number`, each of `length` elements.
fn targets<E: LaneField>(values: &mut [u64], number: usize, length: usize) -> Targets {
    let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
    let arrays = values[number * E::DEGREE * length..][..E::DEGREE * length].chunks_exact_mut(length);
    for (target, array) in targets.iter_mut().zip(arrays) {
        *target = array.as_mut_ptr();
    }
    targets
}

fn sources(targets: Targets) -> Sources {
    targets.map(<*mut u64>::cast_const)
}

/// One task: the scan of its own rows; returns the total of every column.
struct Block<'s, 'r, 'a, E: LaneField> {
    plan: &'s Plan<'a, E>,
    scratch: &'s mut Scratch,
    block: usize,
    columns: &'s mut [&'r mut [Goldilocks]],
}

impl<E: LaneField> SimdKernel for Block<'_, '_, '_, E> {
    type Output = Vec<E>;

    #[inline(always)]
    fn run<V: Packed>(self) -> Vec<E> {
        let Self { plan, scratch, block, columns } = self;
        let (run_length, block_length) = (1 << plan.log_run, 1 << plan.log_block);
        let runs = block_length / run_length;
        for index in 0..runs {
            let mut slots = Slots { slots: &plan.slots, outputs: &mut scratch.outputs };
            plan.executable.run::<V, _>(block * runs + index, &mut scratch.machine, &mut slots);
            // ratio = numerator * adjugate / norm.
            for (number, column) in plan.columns.iter().enumerate() {
                let slot = |output: usize| plan.slots[output].expect("the outputs of running columns have slots");
                let numerator = sources(targets::<E>(&mut scratch.outputs, slot(column.numerator), run_length));
                let denominator = sources(targets::<E>(&mut scratch.outputs, slot(column.denominator), run_length));
                let ratios = targets::<E>(&mut scratch.ratios, number, block_length);
                let first = index * run_length;
                let norms = scratch.norms[number * block_length + first..][..run_length].as_mut_ptr();
                let mut row = 0;
                while row < run_length {
                    // SAFETY: the arrays have at least `first + run_length` rows, a multiple of the lanes.
                    unsafe {
                        let (adjugate, norm) = E::Lanes::<V>::load(denominator, row).adjugate();
                        norm.store_raw(norms.add(row));
                        E::Lanes::<V>::load(numerator, row).mul(adjugate).store(ratios, first + row);
                    }
                    row += V::LANES;
                }
            }
        }
        batch_inverse::<V>(&mut scratch.norms, &mut scratch.before);
        let mut totals = Vec::with_capacity(plan.columns.len());
        for (number, column) in plan.columns.iter().enumerate() {
            let ratios = targets::<E>(&mut scratch.ratios, number, block_length);
            let norms = scratch.norms[number * block_length..][..block_length].as_ptr();
            let mut row = 0;
            while row < block_length {
                // SAFETY: the arrays have `block_length` rows, a multiple of the lanes.
                unsafe {
                    let ratio = E::Lanes::<V>::load(sources(ratios), row).mul_base(V::load_raw(norms.add(row)));
                    ratio.canonical().store(ratios, row);
                }
                row += V::LANES;
            }
            let ratios = &scratch.ratios[number * E::DEGREE * block_length..][..E::DEGREE * block_length];
            let columns = &mut columns[number * E::DEGREE..][..E::DEGREE];
            totals.push(scan::<E>(column, ratios, block_length, columns));
        }
        totals
    }
}

/// The scan of canonical ratios of one block into its columns; returns the total.
#[inline(always)]
fn scan<E: LaneField>(column: &RunningColumn, ratios: &[u64], length: usize, columns: &mut [&mut [Goldilocks]]) -> E {
    let mut total: E = identity(column.kind);
    let mut coordinates = [Goldilocks::ZERO; MAX_DEGREE];
    for row in 0..length {
        for (k, coordinate) in coordinates.iter_mut().enumerate().take(E::DEGREE) {
            *coordinate = Goldilocks::new(ratios[k * length + row]);
        }
        let ratio = E::from_coordinates(&coordinates[..E::DEGREE]).expect("DEGREE coordinates");
        let next = join(column.kind, total, ratio);
        let value = if column.inclusive { next } else { total };
        for (column, coordinate) in columns.iter_mut().zip(value.coordinates()) {
            column[row] = *coordinate;
        }
        total = next;
    }
    total
}

/// Keeps the outputs that are used.
struct Slots<'s> {
    slots: &'s [Option<usize>],
    outputs: &'s mut [u64],
}

impl<V: Packed, E: LaneField> Sink<V, E> for Slots<'_> {
    #[inline(always)]
    unsafe fn base(&mut self, index: usize, value: BaseSource, rows: usize) {
        let Some(slot) = self.slots[index] else { return };
        let target = targets::<E>(self.outputs, slot, rows);
        let mut row = 0;
        while row < rows {
            // SAFETY: the caller's promise for the value; the slot has as many rows.
            unsafe { E::Lanes::<V>::from_base(value.lanes(row)).store(target, row) };
            row += V::LANES;
        }
    }

    #[inline(always)]
    unsafe fn ext(&mut self, index: usize, value: ExtSource, rows: usize) {
        let Some(slot) = self.slots[index] else { return };
        let target = targets::<E>(self.outputs, slot, rows);
        let mut row = 0;
        while row < rows {
            // SAFETY: the caller's promise for the value; the slot has as many rows.
            unsafe { value.lanes::<V, E::Lanes<V>>(row).store(target, row) };
            row += V::LANES;
        }
    }
}

/// Joins what came before a block to all its rows.
struct Carry<'s, 'r, E> {
    columns: &'s mut [&'r mut [Goldilocks]],
    kinds: &'s [RunningColumn],
    start: &'s [E],
}

impl<E: LaneField> SimdKernel for Carry<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<V: Packed>(self) {
        for ((columns, column), start) in self.columns.chunks_exact_mut(E::DEGREE).zip(self.kinds).zip(self.start) {
            let length = columns[0].len();
            let mut target = [std::ptr::null_mut(); MAX_DEGREE];
            for (target, column) in target.iter_mut().zip(columns) {
                *target = column.as_mut_ptr().cast();
            }
            let start = E::Lanes::<V>::splat(*start);
            let mut row = 0;
            while row < length {
                // SAFETY: the columns of a block have `length` rows, a multiple of the lanes.
                unsafe {
                    let local = E::Lanes::<V>::load(sources(target), row);
                    let value = match column.kind {
                        RunningKind::Product => start.mul(local),
                        RunningKind::Sum => start.add(local),
                    };
                    value.canonical().store(target, row);
                }
                row += V::LANES;
            }
        }
    }
}
