//! Running products and sums: ratios and their scan block by block, then every block times (plus) what came before it.
//!
//! A block is as many segments as a register has lanes, each scanned in a lane of its own.

use field::{Field, Goldilocks};
use gpu_hal::{
    Columns, GoldilocksStark, Operation, Result, Running, RunningColumn, RunningKind, Schedule, StarkBackend,
};
use rayon::prelude::*;

use super::interpreter::{BaseSource, Executable, ExtSource, Machine, Sink, registers_per_row};
use super::inverse::batch_inverse;
use super::lanes::{ExtLanes, LaneField, MAX_DEGREE, MAX_LANES, Sources, Targets};
use super::loads::Loads;
use crate::blocks::{blocks_mut, level_for, log_block};
use crate::goldilocks::arith::Packed;
use crate::memory::{CpuBuffer, Memory};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

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
pub(crate) fn running<E, B>(
    memory: &Memory,
    level: SimdLevel,
    args: &Running<'_, B>,
) -> Result<Columns<CpuBuffer<Goldilocks>>>
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
    // Segments must be a whole number of registers.
    let level = level_for(level, log_run.min(plan.log_block / 2));
    let mut blocks = blocks_mut(result.data.values_mut(), args.log_height, plan.log_block);
    let totals: Vec<Vec<E>> = blocks
        .par_iter_mut()
        .enumerate()
        .map_init(
            || Scratch::new(&plan, used),
            |scratch, (block, columns)| dispatch(level, Block { plan: &plan, scratch, block, columns }),
        )
        .collect();
    let mut before: Vec<E> = args.running.iter().map(|column| identity(column.kind)).collect();
    let mut starts = Vec::with_capacity(totals.len());
    for totals in &totals {
        let segments = totals.len() / args.running.len();
        let mut start = Vec::with_capacity(totals.len());
        let columns = before.iter_mut().zip(args.running).zip(totals.chunks_exact(segments));
        for ((before, column), totals) in columns {
            for total in totals {
                start.push(*before);
                *before = join(column.kind, *before, *total);
            }
        }
        starts.push(start);
    }
    blocks.par_iter_mut().zip(starts).for_each(|(columns, starts)| {
        dispatch(level, Carry { columns, kinds: args.running, starts: &starts });
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

/// One task: the scans of its own segments; returns the totals, `[column][segment]`.
struct Block<'s, 'r, 'a, E: LaneField> {
    plan: &'s Plan<'a, E>,
    scratch: &'s mut Scratch,
    block: usize,
    columns: &'s mut [&'r mut [Goldilocks]],
}

impl<E: LaneField> Kernel for Block<'_, '_, '_, E> {
    type Output = Vec<E>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<E> {
        let Self { plan, scratch, block, columns } = self;
        let (run_length, block_length) = (1 << plan.log_run, 1 << plan.log_block);
        let runs = block_length / run_length;
        for index in 0..runs {
            let mut slots = Slots { slots: &plan.slots, outputs: &mut scratch.outputs };
            plan.executable.run::<I::Goldilocks, _>(block * runs + index, &mut scratch.machine, &mut slots);
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
                        let (adjugate, norm) = E::Lanes::<I::Goldilocks>::load(denominator, row).adjugate();
                        norm.store_raw(norms.add(row));
                        E::Lanes::<I::Goldilocks>::load(numerator, row).mul(adjugate).store(ratios, first + row);
                    }
                    row += I::Goldilocks::LANES;
                }
            }
        }
        batch_inverse::<I::Goldilocks>(&mut scratch.norms, &mut scratch.before);
        let mut totals = Vec::with_capacity(plan.columns.len());
        for (number, column) in plan.columns.iter().enumerate() {
            let ratios = targets::<E>(&mut scratch.ratios, number, block_length);
            let norms = scratch.norms[number * block_length..][..block_length].as_ptr();
            let mut row = 0;
            while row < block_length {
                // SAFETY: the arrays have `block_length` rows, a multiple of the lanes.
                unsafe {
                    let ratio = E::Lanes::<I::Goldilocks>::load(sources(ratios), row)
                        .mul_base(I::Goldilocks::load_raw(norms.add(row)));
                    ratio.canonical().store(ratios, row);
                }
                row += I::Goldilocks::LANES;
            }
            let columns = &mut columns[number * E::DEGREE..][..E::DEGREE];
            scan::<I::Goldilocks, E>(column, sources(ratios), columns, &mut totals);
        }
        totals
    }
}

/// The scans of the segments of a block into its columns, from canonical ratios, as many as the block has rows.
///
/// Squares of `LANES` rows of `LANES` segments are transposed: then a register holds one row of every segment.
#[inline(always)]
fn scan<V: Packed, E: LaneField>(
    column: &RunningColumn,
    ratios: Sources,
    columns: &mut [&mut [Goldilocks]],
    totals: &mut Vec<E>,
) {
    let length = columns[0].len() / V::LANES;
    assert_eq!(length % V::LANES, 0, "a segment is a whole number of registers");
    let mut total = E::Lanes::<V>::splat(identity(column.kind));
    let mut square = [[0u64; MAX_LANES * MAX_LANES]; MAX_DEGREE];
    let mut row = 0;
    while row < length {
        for (square, ratios) in square.iter_mut().zip(ratios).take(E::DEGREE) {
            let mut registers = [V::splat_raw(0); 8];
            for (segment, register) in registers.iter_mut().enumerate().take(V::LANES) {
                // SAFETY: the ratios have as many rows as the block: `LANES` segments of `length`.
                *register = unsafe { V::load_raw(ratios.add(segment * length + row)) };
            }
            transpose_into(&mut registers, square);
        }
        let places = square.each_mut().map(|square| square.as_mut_ptr());
        for step in 0..V::LANES {
            // SAFETY: a square has `LANES` times `LANES` elements.
            unsafe {
                let ratio = E::Lanes::<V>::load(sources(places), step * V::LANES);
                let next = match column.kind {
                    RunningKind::Product => total.mul(ratio),
                    RunningKind::Sum => total.add(ratio),
                };
                let value = if column.inclusive { next } else { total };
                value.canonical().store(places, step * V::LANES);
                total = next;
            }
        }
        for (square, column) in square.iter_mut().zip(columns.iter_mut()) {
            let mut registers = [V::splat_raw(0); 8];
            for (step, register) in registers.iter_mut().enumerate().take(V::LANES) {
                // SAFETY: as above.
                *register = unsafe { V::load_raw(square.as_ptr().add(step * V::LANES)) };
            }
            transpose_into(&mut registers, square);
            for segment in 0..V::LANES {
                let values = &square[segment * V::LANES..][..V::LANES];
                column[segment * length + row..][..V::LANES].copy_from_slice(bytemuck::cast_slice(values));
            }
        }
        row += V::LANES;
    }
    let mut lanes = [[0u64; MAX_LANES]; MAX_DEGREE];
    // SAFETY: the arrays have room for the widest registers.
    unsafe { total.canonical().store(lanes.each_mut().map(|lanes| lanes.as_mut_ptr()), 0) };
    for lane in 0..V::LANES {
        let coordinates = lanes.map(|lanes| Goldilocks::new(lanes[lane]));
        totals.push(E::from_coordinates(&coordinates[..E::DEGREE]).expect("DEGREE coordinates"));
    }
}

/// The first `LANES` registers, rows of a square, to the rows of the transposed square.
#[inline(always)]
fn transpose_into<V: Packed>(registers: &mut [V; 8], square: &mut [u64; MAX_LANES * MAX_LANES]) {
    V::transpose(registers);
    for (row, register) in registers.iter().enumerate().take(V::LANES) {
        // SAFETY: a square has `LANES` times `LANES` elements.
        unsafe { register.store_raw(square.as_mut_ptr().add(row * V::LANES)) };
    }
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

/// Joins what came before a segment to all its rows.
struct Carry<'s, 'r, E> {
    columns: &'s mut [&'r mut [Goldilocks]],
    kinds: &'s [RunningColumn],
    /// `[column][segment]`.
    starts: &'s [E],
}

impl<E: LaneField> Kernel for Carry<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let segments = self.starts.len() / self.kinds.len();
        let columns = self.columns.chunks_exact_mut(E::DEGREE).zip(self.kinds);
        for ((columns, column), starts) in columns.zip(self.starts.chunks_exact(segments)) {
            let length = columns[0].len() / segments;
            assert_eq!(length % I::Goldilocks::LANES, 0, "a segment is a whole number of registers");
            let mut target = [std::ptr::null_mut(); MAX_DEGREE];
            for (target, column) in target.iter_mut().zip(columns) {
                *target = column.as_mut_ptr().cast();
            }
            for (segment, start) in starts.iter().enumerate() {
                let start = E::Lanes::<I::Goldilocks>::splat(*start);
                let mut row = segment * length;
                while row < (segment + 1) * length {
                    // SAFETY: the columns of a block have `segments * length` rows, and `length` is a multiple of the lanes.
                    unsafe {
                        let local = E::Lanes::<I::Goldilocks>::load(sources(target), row);
                        let value = match column.kind {
                            RunningKind::Product => start.mul(local),
                            RunningKind::Sum => start.add(local),
                        };
                        value.canonical().store(target, row);
                    }
                    row += I::Goldilocks::LANES;
                }
            }
        }
    }
}
