//! Constraint evaluation: `sum over groups of multiplier * (sum over terms of weight * output)`, run by run.

use field::{Field, Goldilocks, batch_inverse as batch_inverse_scalars};
use gpu_hal::ir::Schedule;
use gpu_hal::{
    CancelToken, Columns, CombinationGroup, Constraints, CosetDomain, EvalOrder, GoldilocksStark, Operation, Result,
};
use rayon::prelude::*;

use super::arith::Packed;
use super::compiled;
use super::evaluator::{Evaluator, EvaluatorMemory};
use super::inverse::batch_inverse;
use super::lanes::LaneField;
use super::points::Points;
use super::steps::Steps;
use super::sums::Interpreted;
use crate::addresses::{array_sources, coordinates};
use crate::blocks::{blocks_mut, level_for, log_block};
use crate::cpu::Cpu;
use crate::interpreter::registers_per_row;
use crate::lanes::ExtLanes;
use crate::loads::Loads;
use crate::memory::CpuBuffer;
use crate::simd::{Isa, Kernel, dispatch};

/// Bytes of registers and accumulators that should stay in the nearest cache.
const NEAR_BYTES: usize = 40 << 10;
/// Bytes of inverses that a task may hold.
const INVERSE_BYTES: usize = 1 << 20;
/// Rows of a run, as logarithms. Finding the next instruction costs more than registers that leave the nearest cache:
/// programs of thousands of them take a third longer with half as many rows.
const LOG_RUN: std::ops::RangeInclusive<u32> = 7..=9;
const LOG_BLOCK: u32 = 12;

/// A factor `x^(2^log_power) - constant` that changes within a run.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fine {
    log_power: u32,
    constant: Goldilocks,
}

/// A group's multiplier.
struct GroupPlan {
    /// Factors that are constant on a run: `table[run >> shift]`.
    coarse: Vec<(u32, Vec<Goldilocks>)>,
    numerators: Vec<Fine>,
    /// Indices into [`Plan::inverses`].
    inverses: Vec<usize>,
    column: Option<(usize, usize)>,
}

struct Plan<'a, E: LaneField> {
    evaluator: Evaluator<'a, E>,
    loads: &'a Loads<'a, GoldilocksStark<E>>,
    points: Points,
    groups: Vec<GroupPlan>,
    /// Distinct fine factors in denominators.
    inverses: Vec<Fine>,
    log_run: u32,
    log_block: u32,
    stop: CancelToken,
}

/// Evaluates; the arguments are checked.
pub(crate) fn evaluate<E: LaneField>(
    cpu: &Cpu<GoldilocksStark<E>>,
    args: &Constraints<'_, Cpu<GoldilocksStark<E>>>,
) -> Result<Columns<CpuBuffer<Goldilocks>>> {
    let schedule: &Schedule<_> = args.program;
    let mut result = cpu.memory.zeros(Operation::ConstraintEval, E::DEGREE, args.log_eval)?;
    let groups: Vec<_> = args.combination.groups.iter().filter(|group| !group.terms.is_empty()).collect();
    let per_row = registers_per_row(schedule) + groups.len() * (E::DEGREE + 1);
    let log_run = (NEAR_BYTES / (8 * per_row).max(1)).max(1).ilog2();
    let log_run = log_run.clamp(*LOG_RUN.start(), *LOG_RUN.end()).min(args.log_eval);
    let terms: Vec<_> = groups.iter().map(|group| group.terms.clone()).collect();
    let code = match cpu.compiles {
        Some(least) if args.log_eval >= compiled::LOG_RUN => {
            args.program.compiled.run(schedule, &terms, args.params, (1 << args.log_eval, least))?
        }
        _ => None,
    };
    let log_run = code.as_ref().map_or(log_run, |_| compiled::LOG_RUN);
    let loads =
        Loads::storage(args.columns, log_run, Steps::new(log_run, args.domain.log_size, args.log_eval, args.log_trace));
    let mut inverses = Vec::new();
    let domain = args.domain.prefix(args.log_eval);
    let plans = groups.iter().map(|group| plan_group(group, &domain, log_run, &mut inverses)).collect();
    // Two arrays of u64 for each inverse.
    let log_most = (INVERSE_BYTES / (16 * inverses.len()).max(1)).max(1).ilog2().min(LOG_BLOCK);
    let plan = Plan {
        evaluator: match code {
            Some(code) => Evaluator::Compiled(code, &loads),
            None => Evaluator::Interpreted(Interpreted::new(schedule, &loads, args.params, &terms)),
        },
        loads: &loads,
        points: Points::new(&domain, EvalOrder::Storage, log_run),
        groups: plans,
        inverses,
        log_run,
        log_block: log_block(args.log_eval, log_run, log_most),
        stop: CancelToken::here(),
    };
    let level = level_for(cpu.level, log_run);
    blocks_mut(result.data.values_mut(), args.log_eval, plan.log_block).into_par_iter().enumerate().for_each_init(
        || Scratch::new(&plan),
        |scratch, (block, columns)| {
            dispatch(level, Block { plan: &plan, scratch, block, columns });
        },
    );
    Ok(result)
}

/// Sorts the factors of a group: factors of high power are tables with an entry for several runs.
fn plan_group<E: LaneField>(
    group: &CombinationGroup<GoldilocksStark<E>>,
    domain: &CosetDomain<Goldilocks>,
    log_run: u32,
    inverses: &mut Vec<Fine>,
) -> GroupPlan {
    let mut plan =
        GroupPlan { coarse: Vec::new(), numerators: Vec::new(), inverses: Vec::new(), column: group.multiplier.column };
    for factor in &group.multiplier.factors {
        if factor.log_power >= log_run {
            // The value at storage index i depends on i >> log_power: it is that of the domain of the powers.
            let powers =
                CosetDomain::new(domain.shift.pow_two_to(factor.log_power), domain.log_size - factor.log_power);
            let points = Points::new(&powers, EvalOrder::Storage, powers.log_size);
            let start = points.start(0);
            let mut table: Vec<_> = points.table.iter().map(|x| start * *x - factor.constant).collect();
            if factor.inverse {
                batch_inverse_scalars(&mut table);
            }
            plan.coarse.push((factor.log_power - log_run, table));
            continue;
        }
        let fine = Fine { log_power: factor.log_power, constant: factor.constant };
        if factor.inverse {
            let known = inverses.iter().position(|other| *other == fine);
            plan.inverses.push(known.unwrap_or_else(|| {
                inverses.push(fine);
                inverses.len() - 1
            }));
        } else {
            plan.numerators.push(fine);
        }
    }
    plan
}

/// One thread's arrays.
struct Scratch {
    evaluator: EvaluatorMemory,
    /// Coordinate k of group g: a run at `(g * DEGREE + k)` runs.
    sums: Vec<u64>,
    /// Inverse j: a block at `j` blocks.
    inverses: Vec<u64>,
    before: Vec<u64>,
    /// Group g's multiplier column, if it has one: a run at `g` runs.
    columns: Vec<u64>,
}

impl Scratch {
    fn new<E: LaneField>(plan: &Plan<'_, E>) -> Self {
        let inverses = plan.inverses.len() << plan.log_block;
        Self {
            evaluator: plan.evaluator.memory(),
            sums: vec![0; (plan.groups.len() * E::DEGREE) << plan.log_run],
            inverses: vec![0; inverses],
            before: vec![0; inverses],
            columns: vec![0; plan.groups.len() << plan.log_run],
        }
    }
}

/// One task.
struct Block<'s, 'a, E: LaneField> {
    plan: &'s Plan<'a, E>,
    scratch: &'s mut Scratch,
    block: usize,
    columns: Vec<&'s mut [Goldilocks]>,
}

impl<E: LaneField> Kernel for Block<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        self.invert::<I::Goldilocks>();
        let log_runs = self.plan.log_block - self.plan.log_run;
        for index in 0..1 << log_runs {
            if self.plan.stop.is_stopped() {
                return;
            }
            let run = (self.block << log_runs) + index;
            let Scratch { evaluator, sums, .. } = &mut *self.scratch;
            self.plan.evaluator.run::<I>(run, evaluator, sums);
            self.combine::<I::Goldilocks>(index, run);
        }
    }
}

/// `x^(2^log_power) - constant`.
#[inline(always)]
fn fine_factor<V: Packed>(x: V, factor: &Fine) -> V {
    let mut power = x;
    for _ in 0..factor.log_power {
        power = power.square();
    }
    power.sub_canonical(V::splat(factor.constant))
}

impl<E: LaneField> Block<'_, '_, E> {
    /// All inverses of the block, with one inversion.
    #[inline(always)]
    fn invert<V: Packed>(&mut self) {
        let plan = self.plan;
        let log_runs = plan.log_block - plan.log_run;
        for (factor, values) in plan.inverses.iter().zip(self.scratch.inverses.chunks_exact_mut(1 << plan.log_block)) {
            for (index, values) in values.chunks_exact_mut(1 << plan.log_run).enumerate() {
                let start = V::splat(plan.points.start((self.block << log_runs) + index));
                let mut row = 0;
                while row < values.len() {
                    let value = fine_factor(plan.points.lanes(start, row), factor);
                    // SAFETY: a run is a multiple of the lanes.
                    unsafe { value.store_raw(values.as_mut_ptr().add(row)) };
                    row += V::LANES;
                }
            }
        }
        batch_inverse::<V>(&mut self.scratch.inverses, &mut self.scratch.before);
    }

    /// `sum over groups of multiplier * sum` for run `index` of the block.
    #[inline(always)]
    fn combine<V: Packed>(&mut self, index: usize, run: usize) {
        let plan = self.plan;
        let length = 1 << plan.log_run;
        let first = index << plan.log_run;
        let start = V::splat(plan.points.start(run));
        let targets = coordinates::<GoldilocksStark<E>>(&mut self.columns, first);
        for (number, group) in plan.groups.iter().enumerate() {
            let mut constant = Goldilocks::ONE;
            for (shift, table) in &group.coarse {
                constant *= table[run >> shift];
            }
            let sums = array_sources::<GoldilocksStark<E>>(&self.scratch.sums[number * E::DEGREE * length..], length);
            let column = group.column.map(|(table, column)| {
                let slot = &mut self.scratch.columns[number * length..][..length];
                let place = plan.loads.fetch(table, column, 0, run, slot);
                place.map_or(slot.as_ptr(), |values| values.as_ptr().cast())
            });
            let mut row = 0;
            while row < length {
                let mut multiplier = V::splat(constant);
                for inverse in &group.inverses {
                    let values = &self.scratch.inverses[(inverse << plan.log_block) + first + row..][..V::LANES];
                    // SAFETY: the slice has an element for each lane.
                    multiplier = multiplier.mul(unsafe { V::load_raw(values.as_ptr()) });
                }
                if !group.numerators.is_empty() {
                    let x: V = plan.points.lanes(start, row);
                    for factor in &group.numerators {
                        multiplier = multiplier.mul(fine_factor(x, factor));
                    }
                }
                // SAFETY: sums, column and targets have `length` elements from here, a multiple of the lanes; the sum
                // so far was stored by the group before.
                unsafe {
                    if let Some(column) = column {
                        multiplier = multiplier.mul(V::load_raw(column.add(row)));
                    }
                    let mut value = E::Lanes::<V>::load(sums, row).mul_base(multiplier);
                    if number > 0 {
                        value = value.add(E::Lanes::<V>::load(targets.map(<*mut u64>::cast_const), row));
                    }
                    value.canonical().store(targets, row);
                }
                row += V::LANES;
            }
        }
    }
}
