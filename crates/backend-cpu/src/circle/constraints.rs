//! Constraint evaluation: `sum over groups of multiplier * (sum over terms of weight * output)`, run by run.
//!
//! A run's outputs are put down first, and then weighted all together, with sums that are reduced late. A term over the extension is four
//! over the base: `w (v0 + v1 i + ...) = w v0 + (w i) v1 + ...`.

use field::circle::CirclePoint;
use field::{ExtensionField, Field, M31, QM31, batch_inverse};
use gpu_hal::{
    CircleDomain, CircleStark, Columns, CombinationGroup, Constraints, Factor, Kind, Operation, Result, Schedule,
    StarkBackend,
};
use rayon::prelude::*;

use super::factors::CircleTables;
use super::interpreter::{Executable, Machine, Outputs, coordinates, registers_per_row};
use super::loads::Loads;
use crate::blocks::{blocks_mut, log_block};
use crate::circle::m31::{LANES, Lanes, QLanes, dot};
use crate::memory::{CpuBuffer, Memory};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Bytes of registers and outputs that should stay in the nearest caches.
const NEAR_BYTES: usize = 256 << 10;
/// Rows of a run, as logarithms.
const LOG_RUN: std::ops::RangeInclusive<u32> = 5..=9;
const LOG_BLOCK: u32 = 13;
/// Fewer points are left to the reference's way.
pub(super) const LOG_LEAST: u32 = 5;

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
    executable: Executable<'a>,
    loads: &'a Loads<'a>,
    groups: Vec<Group>,
    slots: Vec<Option<usize>>,
    arrays: usize,
    log_run: u32,
    log_block: u32,
}

/// Evaluates; the arguments are checked, and the number of points is at least `2^LOG_LEAST`.
pub(super) fn evaluate<B>(
    memory: &Memory,
    level: SimdLevel,
    tables: &CircleTables,
    args: &Constraints<'_, B>,
) -> Result<Columns<CpuBuffer<M31>>>
where
    B: StarkBackend<P = CircleStark, Buffer = CpuBuffer<M31>, Program = Schedule<CircleStark>>,
{
    let schedule = args.program;
    let mut result = memory.columns(Operation::ConstraintEval, 4, args.log_eval)?;
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
    let log_run = (NEAR_BYTES / (4 * (registers_per_row(schedule) + arrays + 8))).max(1).ilog2();
    let log_run = log_run.clamp(*LOG_RUN.start(), *LOG_RUN.end()).min(args.log_eval);
    let loads = Loads::storage(args.columns, log_run, args.log_eval, args.log_trace);
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
    let plan = Plan {
        executable: Executable::new(schedule, &loads, args.params),
        loads: &loads,
        groups: args.combination.groups.iter().filter(|group| !group.terms.is_empty()).map(group).collect(),
        arrays,
        log_run,
        log_block: log_block(args.log_eval, log_run, LOG_BLOCK),
        slots,
    };
    let blocks = blocks_mut(result.data.values_mut(), args.log_eval, plan.log_block);
    blocks.into_par_iter().enumerate().for_each_init(
        || Scratch::new(&plan),
        |scratch, (block, columns)| dispatch(level, Block { plan: &plan, scratch, block, columns }),
    );
    Ok(result)
}

/// Values of a factor: the x-coordinate after `j` doublings depends on the storage index without its lowest `j + 1` bits.
fn factor_table(tables: &CircleTables, domain: &CircleDomain, log_eval: u32, factor: &Factor<M31>) -> (u32, Vec<M31>) {
    let shift = factor.log_power + 1;
    let count = 1usize << (log_eval - shift);
    // x at storage index 4h, and at 4h + 2 its opposite.
    let x = match domain {
        CircleDomain::Circle { .. } => &tables.layer(domain, 1).values,
        CircleDomain::Line { .. } => &tables.layer(domain, 0).values,
    };
    let value = |entry: usize| {
        let at = match domain {
            CircleDomain::Circle { .. } => entry << (shift - 1),
            CircleDomain::Line { .. } => entry << shift,
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
    machine: Machine,
    outputs: Vec<u32>,
    sums: Vec<u32>,
    multiplier: Vec<u32>,
}

impl Scratch {
    fn new(plan: &Plan<'_>) -> Self {
        Self {
            machine: plan.executable.machine(),
            outputs: vec![0; plan.arrays << plan.log_run],
            sums: vec![0; 4 << plan.log_run],
            multiplier: vec![0; 1 << plan.log_run],
        }
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
        let (rows, log_runs) = (1 << plan.log_run, plan.log_block - plan.log_run);
        for index in 0..1 << log_runs {
            let run = (self.block << log_runs) + index;
            let arrays = self.scratch.outputs.as_mut_ptr();
            let outputs = Outputs { slots: &plan.slots, widen: false, arrays };
            // SAFETY: there is an array for every slot.
            unsafe { plan.executable.run::<I::M31>(run, &mut self.scratch.machine, &outputs) };
            let first = index * rows;
            let mut targets = [std::ptr::null_mut(); 4];
            for (target, column) in targets.iter_mut().zip(&mut self.columns) {
                *target = column[first..first + rows].as_mut_ptr().cast();
            }
            for (number, group) in plan.groups.iter().enumerate() {
                let places: Vec<*const u32> =
                    group.arrays.iter().map(|array| arrays.wrapping_add(array * rows).cast_const()).collect();
                let sums = coordinates(self.scratch.sums.as_mut_ptr(), rows);
                multiplier(plan, group, run, &mut self.scratch.multiplier);
                // SAFETY: arrays, sums, multipliers and targets have `rows` words, a multiple of 16.
                unsafe {
                    dot::<I::M31>(&places, &group.weights, rows, sums);
                    let mut row = 0;
                    while row < rows {
                        let factor = I::M31::load(self.scratch.multiplier.as_ptr().add(row));
                        let mut value = QLanes::<I::M31>::load(sums.map(<*mut u32>::cast_const), row).mul_base(factor);
                        if number > 0 {
                            value = value.add(QLanes::load(targets.map(<*mut u32>::cast_const), row));
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
    let first = run << plan.log_run;
    let mut constant = M31::ONE;
    let (coarse, fine): (Vec<_>, Vec<_>) = group.factors.iter().partition(|(shift, _)| *shift >= plan.log_run);
    for (shift, table) in coarse {
        constant *= table[first >> shift];
    }
    values.fill(constant.value());
    for (shift, table) in fine {
        for (row, value) in values.iter_mut().enumerate() {
            *value = (M31::new(*value) * table[(first + row) >> shift]).value();
        }
    }
    if let Some((table, column)) = group.column {
        let mut slot = vec![0; values.len()];
        let place = plan.loads.fetch(table, column, 0, run, &mut slot);
        for (row, value) in values.iter_mut().enumerate() {
            // SAFETY: the place has a word for each row of the run.
            *value = (M31::new(*value) * M31::new(unsafe { place.add(row).read() })).value();
        }
    }
}
