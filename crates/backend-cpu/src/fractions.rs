//! Columns of ratios that are summed or multiplied up: running products and sums, and the columns of logup (circle.md,
//! section 16).
//!
//! Blocks of rows find their ratios, with one inversion each, and accumulate them; then every block takes the total
//! that came before it.

use field::{ExtensionField, Field, PrimeField};
use gpu_hal::ir::Schedule;
use gpu_hal::{Accumulated, Columns, Operation, Result, RunningColumn, RunningForm, RunningKind, RunningRequest, Stop};
use rayon::prelude::*;

use crate::addresses::{array_sources, coordinates};
use crate::blocks::{blocks_mut, log_block, whole_registers};
use crate::cpu::{Cpu, CpuProtocol};
use crate::interpreter::Executable;
use crate::lanes::{ExtLanes, FieldLanes, MAX_DEGREE, MAX_LANES, sources};
use crate::loads::Loads;
use crate::memory::{CpuBuffer, Memory};
use crate::rows::{self, Program, log_run, slots};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Bytes of ratios that a task may hold.
const BLOCK_BYTES: usize = 1 << 20;
/// Rows of a task, as a logarithm.
const LOG_BLOCK: u32 = 11;

type Table<P> = Columns<CpuBuffer<<P as gpu_hal::Protocol>::Base>>;

/// Ratios of a program's outputs, an extension column each.
struct Plan<'a, P: CpuProtocol> {
    program: Program<'a, P>,
    /// Numerators and denominators: numbers of outputs.
    fractions: Vec<(usize, usize)>,
    /// Whether a column adds the one before.
    across: bool,
}

impl<'a, P: CpuProtocol> Plan<'a, P> {
    /// How outputs are computed, at most `2^log_rows` rows at a time.
    fn new(
        schedule: &'a Schedule<P>,
        params: &[P::Ext],
        fractions: Vec<(usize, usize)>,
        across: bool,
        (loads, log_run): (&'a Loads<'a, P>, u32),
    ) -> Self {
        let (slots, arrays) = wanted(schedule, &fractions);
        let executable = Executable::new(schedule, loads, params);
        Self { program: Program { executable, slots, arrays, widen: true, log_run }, fractions, across }
    }

    /// Log2 of the rows of a task.
    fn log_block(&self, log_height: u32) -> u32 {
        let per_row = size_of::<P::Word>() * self.fractions.len() * (P::DEGREE + 2);
        let log_most = (BLOCK_BYTES / per_row).max(1).ilog2().min(LOG_BLOCK);
        log_block(log_height, self.program.log_run, log_most)
    }

    fn scratch(&self, log_block: u32) -> Scratch<P::Word> {
        let norms = self.fractions.len() << log_block;
        Scratch {
            program: self.program.scratch(),
            norms: vec![P::Word::default(); norms],
            before: vec![P::Word::default(); norms],
        }
    }
}

/// Slots for the outputs of fractions.
fn wanted<P: CpuProtocol>(schedule: &Schedule<P>, fractions: &[(usize, usize)]) -> (Vec<Option<usize>>, usize) {
    let outputs = fractions.iter().flat_map(|(numerator, denominator)| [*numerator, *denominator]);
    slots(schedule.program().outputs().len(), outputs, P::DEGREE)
}

/// One thread's arrays.
struct Scratch<W> {
    program: rows::Scratch<W>,
    /// Column c: a block at `c` blocks.
    norms: Vec<W>,
    before: Vec<W>,
}

/// Finds the ratios of a block: its columns.
#[inline(always)]
fn ratios<P: CpuProtocol, I: Isa>(
    plan: &Plan<'_, P>,
    scratch: &mut Scratch<P::Word>,
    block: usize,
    columns: &mut [&mut [P::Base]],
) {
    let (run_length, block_length) = (1 << plan.program.log_run, columns[0].len());
    let runs = block_length / run_length;
    for index in 0..runs {
        plan.program.run::<I>(block * runs + index, &mut scratch.program);
        let first = index * run_length;
        // ratio = numerator * adjugate / norm.
        for (number, (numerator, denominator)) in plan.fractions.iter().enumerate() {
            let mut places = [[std::ptr::null(); MAX_DEGREE]; 2];
            for (places, output) in places.iter_mut().zip([*numerator, *denominator]) {
                let slot = plan.program.slots[output].expect("every fraction has slots");
                *places = array_sources::<P>(&scratch.program.outputs[slot * run_length..], run_length);
            }
            let targets = coordinates::<P>(&mut columns[number * P::DEGREE..], first);
            let norms = scratch.norms[number * block_length + first..][..run_length].as_mut_ptr();
            let mut row = 0;
            while row < run_length {
                // SAFETY: outputs, norms and columns have `run_length` rows from here, a multiple of the lanes.
                unsafe {
                    let (adjugate, norm) = P::ExtLanes::<I>::load(places[1], row).adjugate();
                    norm.store(norms.add(row));
                    P::ExtLanes::<I>::load(places[0], row).mul(adjugate).store(targets, row);
                }
                row += P::Lanes::<I>::LANES;
            }
        }
    }
    let norms = plan.fractions.len() * block_length;
    P::batch_inverse::<I>(&mut scratch.norms[..norms], &mut scratch.before[..norms]);
    let mut left = [std::ptr::null(); MAX_DEGREE];
    for number in 0..plan.fractions.len() {
        let targets = coordinates::<P>(&mut columns[number * P::DEGREE..], 0);
        let norms = scratch.norms[number * block_length..][..block_length].as_ptr();
        let mut row = 0;
        while row < block_length {
            // SAFETY: norms and columns have `block_length` rows, a multiple of the lanes; the column on the left is
            // done.
            unsafe {
                let inverse = P::Lanes::<I>::load(norms.add(row));
                let mut ratio = P::ExtLanes::<I>::load(sources(targets), row).mul_base(inverse);
                if plan.across && number > 0 {
                    ratio = ratio.add(P::ExtLanes::<I>::load(left, row));
                }
                ratio.canonical().store(targets, row);
            }
            row += P::Lanes::<I>::LANES;
        }
        left = sources(targets);
    }
}

/// One request of [`gpu_hal::StarkBackend::running`].
pub(crate) fn running<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    args: &RunningRequest<'_, Cpu<P>>,
) -> Result<Accumulated<Cpu<P>>> {
    match args.form {
        RunningForm::Columns(running) => {
            Ok(Accumulated { columns: columns(memory, level, args, running)?, total: P::Ext::ZERO })
        }
        RunningForm::Logup(fractions) => {
            let (columns, total) = logup(memory, level, args, fractions)?;
            Ok(Accumulated { columns, total })
        }
    }
}

/// Columns that accumulate each for itself.
fn columns<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    args: &RunningRequest<'_, Cpu<P>>,
    running: &[RunningColumn],
) -> Result<Table<P>> {
    let mut result = memory.columns(Operation::Running, running.len() * P::DEGREE, args.log_height)?;
    let fractions: Vec<_> = running.iter().map(|column| (column.numerator, column.denominator)).collect();
    let log_run = log_run(args.program, wanted(args.program, &fractions).1, args.log_height);
    let loads = Loads::rows(args.columns, log_run);
    let plan = Plan::new(args.program, args.params, fractions, false, (&loads, log_run));
    let stop = Stop::here();
    whole_registers(result.data.values_mut(), args.log_height, |values, log_height| {
        let log_block = plan.log_block(log_height);
        let mut blocks = blocks_mut(values, log_height, log_block);
        let totals: Vec<Vec<P::Ext>> = blocks
            .par_iter_mut()
            .enumerate()
            .map_init(
                || plan.scratch(log_block),
                |scratch, (block, columns)| match stop.is_stopped() {
                    true => running.iter().map(|column| identity(column.kind)).collect(),
                    false => dispatch(level, Accumulate { plan: &plan, running, scratch, block, columns }),
                },
            )
            .collect();
        let mut before: Vec<P::Ext> = running.iter().map(|column| identity(column.kind)).collect();
        let mut starts = Vec::with_capacity(totals.len());
        for totals in &totals {
            let segments = totals.len() / running.len();
            let mut start = Vec::with_capacity(totals.len());
            let columns = before.iter_mut().zip(running).zip(totals.chunks_exact(segments));
            for ((before, column), totals) in columns {
                for total in totals {
                    start.push(*before);
                    *before = join(column.kind, *before, *total);
                }
            }
            starts.push(start);
        }
        blocks.par_iter_mut().zip(starts).for_each(|(columns, starts)| {
            if stop.is_stopped() {
                return;
            }
            dispatch(level, Carry::<P> { columns, running, starts: &starts });
        });
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

/// The ratios of a block and, of `running` columns, the scans of its segments; returns the totals, `[column][segment]`.
struct Accumulate<'s, 'r, 'a, P: CpuProtocol> {
    plan: &'s Plan<'a, P>,
    running: &'s [RunningColumn],
    scratch: &'s mut Scratch<P::Word>,
    block: usize,
    columns: &'s mut [&'r mut [P::Base]],
}

impl<P: CpuProtocol> Kernel for Accumulate<'_, '_, '_, P> {
    type Output = Vec<P::Ext>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<P::Ext> {
        let Self { plan, running, scratch, block, columns } = self;
        ratios::<P, I>(plan, scratch, block, columns);
        let mut totals = Vec::with_capacity(running.len());
        for (column, columns) in running.iter().zip(columns.chunks_exact_mut(P::DEGREE)) {
            if columns[0].len() < P::Lanes::<I>::LANES * P::Lanes::<I>::LANES {
                totals.push(scan_by_rows::<P>(column, columns));
            } else {
                scan::<P, I>(column, columns, &mut totals);
            }
        }
        totals
    }
}

/// The scan of the ratios of a block, row after row.
fn scan_by_rows<P: CpuProtocol>(column: &RunningColumn, columns: &mut [&mut [P::Base]]) -> P::Ext {
    let mut total: P::Ext = identity(column.kind);
    for row in 0..columns[0].len() {
        let mut ratio = [P::Base::ZERO; MAX_DEGREE];
        ratio.iter_mut().zip(&*columns).for_each(|(ratio, column)| *ratio = column[row]);
        let ratio = P::Ext::from_coordinates(&ratio[..P::DEGREE]).expect("DEGREE coordinates");
        let next = join(column.kind, total, ratio);
        let value = if column.inclusive { next } else { total };
        columns.iter_mut().zip(value.coordinates()).for_each(|(column, value)| column[row] = *value);
        total = next;
    }
    total
}

/// The scans of the ratios of a block, as many segments as a register has lanes, each scanned in a lane of its own.
///
/// Squares of `LANES` rows of `LANES` segments are transposed: then a register holds one row of every segment.
#[inline(always)]
fn scan<P: CpuProtocol, I: Isa>(column: &RunningColumn, columns: &mut [&mut [P::Base]], totals: &mut Vec<P::Ext>) {
    let lanes = P::Lanes::<I>::LANES;
    let length = columns[0].len() / lanes;
    assert_eq!(length % lanes, 0, "a segment is a whole number of registers");
    let at = coordinates::<P>(columns, 0);
    let mut total = P::ExtLanes::<I>::splat(identity(column.kind));
    let mut square = [[P::Word::default(); MAX_LANES * MAX_LANES]; MAX_DEGREE];
    let places = square.each_mut().map(|square| square.as_mut_ptr());
    let mut row = 0;
    while row < length {
        for (place, at) in places.iter().zip(at).take(P::DEGREE) {
            // SAFETY: the block has `LANES` segments of `length` rows, a square room for `LANES` times `LANES` words.
            unsafe { P::Lanes::<I>::transpose(at.add(row), length, *place, lanes) };
        }
        let mut step = 0;
        while step < lanes {
            // SAFETY: as above.
            unsafe {
                let ratio = P::ExtLanes::<I>::load(sources(places), step * lanes);
                let next = match column.kind {
                    RunningKind::Product => total.mul(ratio),
                    RunningKind::Sum => total.add(ratio),
                };
                let value = if column.inclusive { next } else { total };
                value.canonical().store(places, step * lanes);
                total = next;
            }
            step += 1;
        }
        for (place, at) in places.iter().zip(at).take(P::DEGREE) {
            // SAFETY: as above.
            unsafe { P::Lanes::<I>::transpose(*place, lanes, at.add(row), length) };
        }
        row += lanes;
    }
    // SAFETY: a square has room for a register.
    unsafe { total.canonical().store(places, 0) };
    for lane in 0..lanes {
        let mut coordinates = [P::Base::ZERO; MAX_DEGREE];
        for (coordinate, square) in coordinates.iter_mut().zip(&square).take(P::DEGREE) {
            *coordinate = bytemuck::cast(square[lane]);
        }
        totals.push(P::Ext::from_coordinates(&coordinates[..P::DEGREE]).expect("DEGREE coordinates"));
    }
}

/// Joins the total before a segment to all its rows.
struct Carry<'s, 'r, P: CpuProtocol> {
    columns: &'s mut [&'r mut [P::Base]],
    running: &'s [RunningColumn],
    /// `[column][segment]`.
    starts: &'s [P::Ext],
}

impl<P: CpuProtocol> Kernel for Carry<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let segments = self.starts.len() / self.running.len();
        let columns = self.columns.chunks_exact_mut(P::DEGREE).zip(self.running);
        for ((columns, column), starts) in columns.zip(self.starts.chunks_exact(segments)) {
            let length = columns[0].len() / segments;
            assert_eq!(length % P::Lanes::<I>::LANES, 0, "a segment is a whole number of registers");
            let target = coordinates::<P>(columns, 0);
            for (segment, start) in starts.iter().enumerate() {
                let start = P::ExtLanes::<I>::splat(*start);
                let mut row = segment * length;
                while row < (segment + 1) * length {
                    // SAFETY: the columns of a block have `segments * length` rows, and `length` is a multiple of the
                    // lanes.
                    unsafe {
                        let local = P::ExtLanes::<I>::load(sources(target), row);
                        let value = match column.kind {
                            RunningKind::Product => start.mul(local),
                            RunningKind::Sum => start.add(local),
                        };
                        value.canonical().store(target, row);
                    }
                    row += P::Lanes::<I>::LANES;
                }
            }
        }
    }
}

/// Sums of fractions, and their total.
fn logup<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    args: &RunningRequest<'_, Cpu<P>>,
    fractions: &[(usize, usize)],
) -> Result<(Table<P>, P::Ext)> {
    let width = fractions.len();
    let mut result = memory.columns(Operation::Running, width * P::DEGREE, args.log_height)?;
    let log_run = log_run(args.program, wanted(args.program, fractions).1, args.log_height);
    let loads = Loads::rows(args.columns, log_run);
    let plan = Plan::new(args.program, args.params, fractions.to_vec(), true, (&loads, log_run));
    let (last, stop) = ((width - 1) * P::DEGREE, Stop::here());
    let total = whole_registers(result.data.values_mut(), args.log_height, |values, log_height| {
        let log_block = plan.log_block(log_height);
        let mut blocks = blocks_mut(values, log_height, log_block);
        // If a block was made longer, its first rows count.
        let rows = 1usize << log_block.min(args.log_height);
        let totals: Vec<P::Ext> = blocks
            .par_iter_mut()
            .enumerate()
            .map_init(
                || plan.scratch(log_block),
                |scratch, (block, columns)| {
                    if stop.is_stopped() {
                        return P::Ext::ZERO;
                    }
                    dispatch(level, Accumulate { plan: &plan, running: &[], scratch, block, columns });
                    let sums = columns[last..].iter().map(|column| column[..rows].iter().copied().sum());
                    P::Ext::from_coordinates(&sums.collect::<Vec<P::Base>>()).expect("DEGREE coordinates")
                },
            )
            .collect();
        let total: P::Ext = totals.iter().copied().sum();
        let mean = total * P::Base::from_u64(1 << args.log_height).inverse_or_zero();
        let rows = P::Base::from_u64(rows as u64);
        let starts: Vec<P::Ext> = totals
            .iter()
            .scan(P::Ext::ZERO, |before, total| {
                let start = *before;
                *before += *total - mean * rows;
                Some(start)
            })
            .collect();
        blocks.par_iter_mut().zip(starts).for_each(|(columns, start)| {
            if stop.is_stopped() {
                return;
            }
            let centred = start.coordinates().iter().zip(mean.coordinates());
            for (column, (start, mean)) in columns[last..].iter_mut().zip(centred) {
                let mut sum = *start;
                for value in column.iter_mut() {
                    sum += *value - *mean;
                    *value = sum;
                }
            }
        });
        total
    });
    Ok((result, total))
}
