//! Multilinear polynomials: the first variable bound, and weighted sums of a program over corners.

use std::ops::Range;

use field::{ExtensionField, Field};
use gpu_hal::{BindRequest, CancelToken, DeviceProgram, Multilinear, Operation, Result, SumRequest};
use rayon::prelude::*;

use crate::addresses::{array_sources, arrays, coordinates};
use crate::blocks::{blocks_mut, log_block};
use crate::cpu::{Cpu, CpuProtocol, NewTable};
use crate::interpreter::Executable;
use crate::lanes::{ExtLanes, FieldLanes, MAX_DEGREE, MAX_LANES, Sources, sources};
use crate::loads::Loads;
use crate::memory::Memory;
use crate::rows::{self, Program, log_run, slots};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Rows of a task, as a logarithm.
const LOG_BLOCK: u32 = 13;

/// Some rows of a base column.
fn column<'a, P: CpuProtocol>(of: &Multilinear<'a, Cpu<P>>, column: usize, rows: Range<usize>) -> &'a [P::Base] {
    &of.table.data.values()[column << of.table.log_height..][of.first..][rows]
}

/// A row of an extension column.
fn element<P: CpuProtocol>(of: &Multilinear<'_, Cpu<P>>, at: usize, row: usize) -> P::Ext {
    let mut coordinates = [P::Base::ZERO; MAX_DEGREE];
    for (k, coordinate) in coordinates.iter_mut().enumerate().take(P::DEGREE) {
        *coordinate = column(of, at * P::DEGREE + k, row..row + 1)[0];
    }
    P::Ext::from_coordinates(&coordinates[..P::DEGREE]).expect("DEGREE coordinates")
}

/// Where some rows of an extension column are.
fn places<P: CpuProtocol>(of: &Multilinear<'_, Cpu<P>>, at: usize, rows: Range<usize>) -> Sources<P::Word> {
    let mut places = [std::ptr::null(); MAX_DEGREE];
    for (k, place) in places.iter_mut().enumerate().take(P::DEGREE) {
        *place = column(of, at * P::DEGREE + k, rows.clone()).as_ptr().cast();
    }
    places
}

/// One request of [`gpu_hal::StarkBackend::bind`].
pub(crate) fn bind<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    request: &BindRequest<'_, Cpu<P>>,
) -> Result<NewTable<P>> {
    let BindRequest { values, challenge } = *request;
    let (width, log_rows) = (values.table.width, values.variables - 1);
    let mut result = memory.columns(Operation::Bind, width, log_rows)?;
    let half = 1usize << log_rows;
    let elements = result.data.values_mut();
    if half < MAX_LANES {
        for (at, columns) in elements.chunks_exact_mut(half * P::DEGREE).enumerate() {
            for row in 0..half {
                let [low, high] = [row, half + row].map(|row| element(&values, at, row));
                let bound = low + challenge * (high - low);
                let targets = columns.iter_mut().skip(row).step_by(half);
                targets.zip(bound.coordinates()).for_each(|(target, coordinate)| *target = *coordinate);
            }
        }
        return Ok(result);
    }
    let (log_block, stop) = (log_block(log_rows, MAX_LANES.ilog2(), LOG_BLOCK), CancelToken::here());
    blocks_mut(elements, log_rows, log_block).into_par_iter().enumerate().for_each(|(block, mut columns)| {
        if stop.is_stopped() {
            return;
        }
        for (at, columns) in columns.chunks_exact_mut(P::DEGREE).enumerate() {
            let first = block << log_block;
            let [low, high] = [first, half + first].map(|first| places(&values, at, first..first + (1 << log_block)));
            dispatch(level, Bound::<P> { low, high, challenge, columns });
        }
    });
    Ok(result)
}

/// Rows of an extension column between those of two halves.
struct Bound<'s, 'r, P: CpuProtocol> {
    low: Sources<P::Word>,
    high: Sources<P::Word>,
    challenge: P::Ext,
    columns: &'s mut [&'r mut [P::Base]],
}

impl<P: CpuProtocol> Kernel for Bound<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let (targets, rows) = (coordinates::<P>(self.columns, 0), self.columns[0].len());
        let challenge = P::ExtLanes::<I>::splat(self.challenge);
        let mut row = 0;
        while row < rows {
            // SAFETY: both halves and the columns have `rows` rows from here, a multiple of the lanes.
            unsafe {
                let low = P::ExtLanes::<I>::load(self.low, row);
                let high = P::ExtLanes::<I>::load(self.high, row);
                low.add(challenge.mul(high.sub(low))).canonical().store(targets, row);
            }
            row += P::Lanes::<I>::LANES;
        }
    }
}

/// One request of [`gpu_hal::StarkBackend::sum`].
pub(crate) fn sum<P: CpuProtocol>(level: SimdLevel, request: &SumRequest<'_, Cpu<P>>) -> Vec<P::Ext> {
    let &SumRequest { program: schedule, values, params, outputs, weights } = request;
    let log_rows = weights.iter().map(|weights| weights.variables).sum();
    let (slots, arrays) = slots(schedule.program().outputs().len(), outputs.iter().copied(), P::DEGREE);
    let log_run = log_run(schedule, arrays, log_rows);
    let loads = Loads::halves(values, log_run);
    let executable = Executable::new(schedule, &loads, params);
    let program = Program { executable, slots, arrays, widen: true, log_run };
    // A run may be longer than a half.
    let log_all = log_run.max(log_rows);
    let plan =
        Plan { program, outputs, weights, rows: 1 << log_rows, log_block: log_block(log_all, log_run, LOG_BLOCK) };
    let stop = CancelToken::here();
    let none = || vec![P::Ext::ZERO; outputs.len()];
    (0..1usize << (log_all - plan.log_block))
        .into_par_iter()
        .map_init(
            || Scratch::new(&plan),
            |scratch, block| match stop.is_stopped() {
                true => none(),
                false => dispatch(level, Block { plan: &plan, scratch, block }),
            },
        )
        .reduce(none, |mut sums, others| {
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
            sums
        })
}

/// Sums of a program's outputs.
struct Plan<'a, P: CpuProtocol> {
    program: Program<'a, P>,
    outputs: &'a [usize],
    weights: [Multilinear<'a, Cpu<P>>; 2],
    /// Rows that count.
    rows: usize,
    log_block: u32,
}

/// One thread's arrays.
struct Scratch<W> {
    program: rows::Scratch<W>,
    /// The weights of a run.
    weights: Vec<W>,
    /// A register of each coordinate of each sum.
    sums: Vec<W>,
}

impl<W: Default + Copy> Scratch<W> {
    fn new<P: CpuProtocol<Word = W>>(plan: &Plan<'_, P>) -> Self {
        let sums = vec![W::default(); plan.outputs.len() * P::DEGREE * MAX_LANES];
        Self { program: plan.program.scratch(), weights: vec![W::default(); P::DEGREE << plan.program.log_run], sums }
    }
}

impl<P: CpuProtocol> Plan<'_, P> {
    /// The weights of the rows of a run, and their common factor.
    #[inline(always)]
    fn weights(&self, run: usize, scratch: &mut [P::Word]) -> (Sources<P::Word>, P::Ext) {
        let ([high, low], log_run) = (&self.weights, self.program.log_run);
        let (first, length) = (run << log_run, 1usize << log_run);
        let (mask, of_high) = ((1 << low.variables) - 1, first >> low.variables);
        if low.variables >= log_run {
            let first = first & mask;
            return (places(low, 0, first..first + length), element(high, 0, of_high));
        }
        // Few rows have a factor in common. Rows behind the last that counts have no weight.
        let targets = arrays::<P>(scratch, length);
        for at in 0..length {
            let row = first + at;
            let weight = match row < self.rows {
                true => element(high, 0, row >> low.variables) * element(low, 0, row & mask),
                false => P::Ext::ZERO,
            };
            for (target, coordinate) in targets.iter().zip(weight.coordinates()) {
                // SAFETY: an array has the length of a run.
                unsafe { target.add(at).write(P::word(*coordinate)) };
            }
        }
        (sources(targets), P::Ext::ONE)
    }
}

/// One task.
struct Block<'s, 'a, P: CpuProtocol> {
    plan: &'s Plan<'a, P>,
    scratch: &'s mut Scratch<P::Word>,
    block: usize,
}

impl<P: CpuProtocol> Kernel for Block<'_, '_, P> {
    type Output = Vec<P::Ext>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<P::Ext> {
        let Self { plan, scratch, block } = self;
        let (length, log_runs) = (1usize << plan.program.log_run, plan.log_block - plan.program.log_run);
        scratch.sums.fill(P::Word::default());
        for run in block << log_runs..(block + 1) << log_runs {
            plan.program.run::<I>(run, &mut scratch.program);
            let (weights, factor) = plan.weights(run, &mut scratch.weights);
            let factor = P::ExtLanes::<I>::splat(factor);
            for (sums, output) in scratch.sums.chunks_exact_mut(P::DEGREE * MAX_LANES).zip(plan.outputs) {
                let slot = plan.program.slots[*output].expect("every output that is wanted has a slot");
                let values = array_sources::<P>(&scratch.program.outputs[slot * length..], length);
                let sums = arrays::<P>(sums, MAX_LANES);
                let mut sum = P::ExtLanes::<I>::splat(P::Ext::ZERO);
                let mut row = 0;
                while row < length {
                    // SAFETY: outputs and weights have a run's rows, a multiple of the lanes.
                    unsafe {
                        let weight = P::ExtLanes::<I>::load(weights, row);
                        sum = sum.add(P::ExtLanes::<I>::load(values, row).mul(weight));
                    }
                    row += P::Lanes::<I>::LANES;
                }
                // SAFETY: a sum has room for the longest register.
                unsafe { P::ExtLanes::<I>::load(sources(sums), 0).add(sum.mul(factor)).canonical().store(sums, 0) };
            }
        }
        let total = |sums: &[P::Word]| {
            let lanes = |sums: &[P::Word]| -> P::Base {
                let lanes: &[P::Base] = bytemuck::cast_slice(&sums[..P::Lanes::<I>::LANES]);
                lanes.iter().copied().sum()
            };
            let coordinates: Vec<P::Base> = sums.chunks_exact(MAX_LANES).map(lanes).collect();
            P::Ext::from_coordinates(&coordinates).expect("DEGREE coordinates")
        };
        scratch.sums.chunks_exact(P::DEGREE * MAX_LANES).map(total).collect()
    }
}
