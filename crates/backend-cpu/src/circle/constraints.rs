//! Constraint evaluation: `sum over groups of multiplier * (sum over terms of weight * output)`, run by run.
//!
//! A run's outputs are put down first, and then weighted all together, with sums that are reduced late. A term over the
//! extension is four over the base: `w (v0 + v1 i + ...) = w v0 + (w i) v1 + ...`.

use field::circle::CirclePoint;
use field::{ExtensionField, Field, M31, QM31, batch_inverse};
use gpu_hal::ir::Kind;
use gpu_hal::{
    CancelToken, CircleDomain, CircleStark, Columns, CombinationGroup, Constraints, Factor, Operation, Result,
};
use rayon::prelude::*;

use super::factors::{CircleTables, first_of};
use super::m31::{LANES, Lanes, QLanes, dot};
use super::steps::Steps;
use crate::addresses::{arrays, coordinates};
use crate::blocks::{blocks_mut, log_block, whole_registers};
use crate::cpu::Cpu;
use crate::interpreter::Executable;
use crate::lanes::{ExtLanes, sources};
use crate::loads::Loads;
use crate::memory::{CpuBuffer, Memory};
use crate::rows::{self, Program, log_run};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

const LOG_BLOCK: u32 = 13;

/// A group's multiplier and its terms.
struct Group {
    /// Factors that change with the point: `table[storage index >> shift]`.
    factors: Vec<(u32, Vec<M31>)>,
    column: Option<(usize, usize)>,
    /// Arrays of outputs, with their weights.
    arrays: Vec<usize>,
    weights: Vec<QM31>,
}

struct Plan<'a> {
    program: Program<'a, CircleStark>,
    loads: &'a Loads<'a, CircleStark>,
    groups: Vec<Group>,
    log_eval: u32,
    log_block: u32,
    stop: CancelToken,
}

/// Evaluates; the arguments are checked.
pub(super) fn evaluate(
    memory: &Memory,
    level: SimdLevel,
    tables: &CircleTables,
    args: &Constraints<'_, Cpu<CircleStark>>,
) -> Result<Columns<CpuBuffer<M31>>> {
    let schedule = args.program;
    let mut result = memory.zeros(Operation::ConstraintEval, 4, args.log_eval)?;
    let program = schedule.program();
    let mut slots = vec![None; program.outputs().len()];
    let mut arrays = 0;
    let kind = |output: usize| program.nodes()[program.outputs()[output].index()].kind;
    for (output, _) in args.combination.groups.iter().flat_map(|group| &group.terms) {
        slots[*output].get_or_insert_with(|| {
            arrays += if kind(*output) == Kind::Ext { 4 } else { 1 };
            arrays - if kind(*output) == Kind::Ext { 4 } else { 1 }
        });
    }
    let log_run = log_run(schedule, arrays, args.log_eval);
    let steps = Steps { log_points: args.log_eval, log_trace: args.log_trace };
    let loads = Loads::storage(args.columns, log_run, steps);
    let group = |group: &CombinationGroup<CircleStark>| {
        let (mut of_group, mut weights) = (Vec::new(), Vec::new());
        for (output, weight) in &group.terms {
            let first = slots[*output].expect("every term has a slot");
            let count = if kind(*output) == Kind::Ext { 4 } else { 1 };
            for k in 0..count {
                of_group.push(first + k);
                weights.push(*weight * <QM31 as ExtensionField<M31>>::basis(k));
            }
        }
        let factors = group.multiplier.factors.iter();
        Group {
            factors: factors.map(|factor| factor_table(tables, &args.domain, args.log_eval, factor)).collect(),
            column: group.multiplier.column,
            arrays: of_group,
            weights,
        }
    };
    let groups = args.combination.groups.iter().filter(|group| !group.terms.is_empty()).map(group).collect();
    let executable = Executable::new(schedule, &loads, args.params);
    let program = Program { executable, slots, arrays, widen: false, log_run };
    whole_registers(result.data.values_mut(), args.log_eval, |values, log_rows| {
        let log_block = log_block(log_rows, log_run, LOG_BLOCK);
        let plan =
            Plan { program, loads: &loads, groups, log_eval: args.log_eval, log_block, stop: CancelToken::here() };
        blocks_mut(values, log_rows, log_block).into_par_iter().enumerate().for_each_init(
            || Scratch::new(&plan),
            |scratch, (block, columns)| dispatch(level, Block { plan: &plan, scratch, block, columns }),
        );
    });
    Ok(result)
}

/// Values of a factor: the x-coordinate after `j` doublings depends on the storage index without its lowest `j + 1`
/// bits.
fn factor_table(tables: &CircleTables, domain: &CircleDomain, log_eval: u32, factor: &Factor<M31>) -> (u32, Vec<M31>) {
    let shift = factor.log_power + 1;
    let count = 1usize << (log_eval - shift);
    // x at storage index 4h, and at 4h + 2 its opposite.
    let (x, first) = match domain {
        CircleDomain::Circle { log_coset, .. } => {
            (tables.layer(&CircleDomain::canonic(*log_coset), 1).values, first_of(domain) / 2)
        }
        CircleDomain::Line { log_coset, .. } => {
            (tables.layer(&CircleDomain::line(*log_coset), 0).values, first_of(domain))
        }
    };
    let value = |entry: usize| {
        let at = match domain {
            CircleDomain::Circle { .. } => first + (entry << (shift - 1)),
            CircleDomain::Line { .. } => first + (entry << shift),
        };
        let x = if at % 2 == 0 { x[at / 2] } else { -x[at / 2] };
        CirclePoint::repeated_double_x(x, factor.log_power) - factor.constant
    };
    let mut values: Vec<M31> = (0..count).map(value).collect();
    if factor.inverse {
        batch_inverse(&mut values);
    }
    (shift, values)
}

/// One thread's arrays.
struct Scratch {
    program: rows::Scratch<u32>,
    sums: Vec<u32>,
    multiplier: Vec<u32>,
}

impl Scratch {
    fn new(plan: &Plan<'_>) -> Self {
        let rows = 1 << plan.program.log_run;
        Self { program: plan.program.scratch(), sums: vec![0; 4 * rows], multiplier: vec![0; rows] }
    }
}

/// One task.
struct Block<'s, 'a> {
    plan: &'s Plan<'a>,
    scratch: &'s mut Scratch,
    block: usize,
    columns: Vec<&'s mut [M31]>,
}

impl Kernel for Block<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let plan = self.plan;
        let (rows, log_runs) = (1 << plan.program.log_run, plan.log_block - plan.program.log_run);
        for index in 0..1 << log_runs {
            if plan.stop.is_stopped() {
                return;
            }
            let run = (self.block << log_runs) + index;
            plan.program.run::<I>(run, &mut self.scratch.program);
            let outputs = &self.scratch.program.outputs;
            let targets = coordinates::<CircleStark>(&mut self.columns, index * rows);
            for (number, group) in plan.groups.iter().enumerate() {
                let places: Vec<*const u32> =
                    group.arrays.iter().map(|array| outputs[array * rows..][..rows].as_ptr()).collect();
                let sums = arrays::<CircleStark>(&mut self.scratch.sums, rows);
                multiplier(plan, group, run, &mut self.scratch.multiplier);
                // SAFETY: arrays, sums, multipliers and targets have `rows` words, a multiple of 16.
                unsafe {
                    dot::<I::M31>(&places, &group.weights, rows, sums);
                    let mut row = 0;
                    while row < rows {
                        let factor = I::M31::load(self.scratch.multiplier.as_ptr().add(row));
                        let mut value = QLanes::<I::M31>::load(sources(sums), row).mul_base(factor);
                        if number > 0 {
                            value = value.add(QLanes::load(sources(targets), row));
                        }
                        value.store(targets, row);
                        row += LANES;
                    }
                }
            }
        }
    }
}

/// A group's multiplier at the points of a run.
fn multiplier(plan: &Plan<'_>, group: &Group, run: usize, values: &mut [u32]) {
    let log_run = plan.program.log_run;
    let first = run << log_run;
    let mut constant = M31::ONE;
    let (coarse, fine): (Vec<_>, Vec<_>) = group.factors.iter().partition(|(shift, _)| *shift >= log_run);
    for (shift, table) in coarse {
        constant *= table[first >> shift];
    }
    values.fill(constant.value());
    // A run may be longer than the points.
    let mask = (1 << plan.log_eval) - 1;
    for (shift, table) in fine {
        for (row, value) in values.iter_mut().enumerate() {
            *value = (M31::new(*value) * table[((first + row) & mask) >> shift]).value();
        }
    }
    if let Some((table, column)) = group.column {
        let mut slot = vec![0; values.len()];
        let place = plan.loads.fetch(table, column, 0, run, &mut slot);
        let factors = place.map_or(slot.as_slice(), |place| bytemuck::cast_slice(place));
        for (value, factor) in values.iter_mut().zip(factors) {
            *value = (M31::new(*value) * M31::new(*factor)).value();
        }
    }
}
