//! Values of polynomials at points outside their domain.
//!
//! From evaluations on the points `x_i` of a coset `h <root>` of `n` points, the barycentric formula
//! `f(z) = (z^n - h^n) / (n h^n) * sum_i f(x_i) x_i / (z - x_i)`; from coefficients `f(z) = sum_i c_i z^i`. Both are
//! sums over rows of a base value times an extension weight: the weights of a block of rows are made once and used for
//! all columns.

use field::{Field, Goldilocks};
use gpu_hal::{Basis, CancelToken, Columns, CosetDomain, EvalOrder};
use rayon::prelude::*;

use super::arith::{Packed, Register};
use super::inverse::batch_inverse;
use super::lanes::LaneField;
use super::points::Points;
use crate::blocks::{level_for, log_block};
use crate::lanes::{ExtLanes, MAX_DEGREE, Targets, sources};
use crate::memory::CpuBuffer;
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Bytes of weights that a task may hold.
const WEIGHT_BYTES: usize = 256 << 10;
const LOG_BLOCK: u32 = 11;

/// How the weights of a row are made.
enum Weights {
    /// `x / (x - z)`.
    Evaluations(Points),
    /// `z^row`.
    Coefficients,
}

/// `result[point][column]`; the arguments are checked.
pub(crate) fn eval_at<E: LaneField>(
    level: SimdLevel,
    table: &Columns<&CpuBuffer<Goldilocks>>,
    from: &Basis<CosetDomain<Goldilocks>>,
    points: &[E],
) -> Vec<Vec<E>> {
    if table.width == 0 || points.is_empty() {
        return vec![Vec::new(); points.len()];
    }
    let log_rows = match from {
        Basis::Coefficients => table.log_height,
        Basis::Evaluations { domain, .. } => domain.log_size,
    };
    let per_row = points.len() * (E::DEGREE + 2);
    let log_most = (WEIGHT_BYTES / (8 * per_row)).max(1).ilog2().clamp(3, LOG_BLOCK);
    let log_block = log_block(log_rows, 3, log_most);
    let weights = match from {
        Basis::Coefficients => Weights::Coefficients,
        Basis::Evaluations { domain, order } => Weights::Evaluations(Points::new(domain, *order, log_block)),
    };
    let columns: Vec<&[Goldilocks]> =
        table.data.values().chunks_exact(table.height()).map(|column| &column[..1 << log_rows]).collect();
    let (level, stop) = (level_for(level, log_block), CancelToken::here());
    let plan = Plan { weights, columns, points, poles: points.iter().map(|z| E::pole(*z)).collect(), log_block };
    let zeros = || vec![E::ZERO; points.len() * plan.columns.len()];
    let mut sums = (0..1usize << (log_rows - log_block))
        .into_par_iter()
        .fold(
            || (None, zeros()),
            |(scratch, mut sums), block| {
                if stop.is_stopped() {
                    return (scratch, sums);
                }
                let mut scratch = scratch.unwrap_or_else(|| Scratch::new(&plan));
                dispatch(level, Block { plan: &plan, scratch: &mut scratch, block, sums: &mut sums });
                (Some(scratch), sums)
            },
        )
        .map(|(_, sums)| sums)
        .reduce(zeros, |mut sums, more| {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            sums
        });
    if let Basis::Evaluations { domain, order } = from {
        for (sums, point) in sums.chunks_exact_mut(plan.columns.len()).zip(points) {
            finish(sums, *point, domain, *order, &plan.columns);
        }
    }
    sums.chunks_exact(plan.columns.len()).map(<[E]>::to_vec).collect()
}

/// From `sum f(x_i) x_i / (x_i - z)` to `f(z)`: times `(h^n - z^n) / (n h^n)`, unless `z` is a point of the domain,
/// where `f(z)` is in the table.
fn finish<E: LaneField>(
    sums: &mut [E],
    point: E,
    domain: &CosetDomain<Goldilocks>,
    order: EvalOrder,
    columns: &[&[Goldilocks]],
) {
    let power = domain.shift.pow_two_to(domain.log_size);
    let vanishing = -(point.pow_two_to(domain.log_size) - power);
    if vanishing.is_zero() {
        // A polynomial of degree n has no other roots than the n points.
        let points = Points::new(domain, order, 0);
        let index = (0..1 << domain.log_size).find(|index| point == E::from(points.point(*index)));
        let index = index.expect("a root of the vanishing polynomial is a point of the domain");
        for (sum, column) in sums.iter_mut().zip(columns) {
            *sum = E::from(column[index]);
        }
        return;
    }
    let size = Goldilocks::new(1 << domain.log_size);
    // Neither is zero: the shift of a valid domain is not, and n is a power of two.
    let factor = vanishing * (power * size).inverse_or_zero();
    sums.iter_mut().for_each(|sum| *sum *= factor);
}

struct Plan<'a, E: LaneField> {
    weights: Weights,
    columns: Vec<&'a [Goldilocks]>,
    points: &'a [E],
    poles: Vec<E::Pole>,
    log_block: u32,
}

/// One thread's arrays.
struct Scratch {
    /// Coordinate k for point j: a block at `(j * DEGREE + k)` blocks.
    weights: Vec<u64>,
    /// Point j: a block at `j` blocks.
    norms: Vec<u64>,
    before: Vec<u64>,
}

impl Scratch {
    fn new<E: LaneField>(plan: &Plan<'_, E>) -> Self {
        let norms = plan.points.len() << plan.log_block;
        Self { weights: vec![0; norms * E::DEGREE], norms: vec![0; norms], before: vec![0; norms] }
    }

    fn weights<E: LaneField>(&mut self, point: usize, length: usize) -> Targets<u64> {
        let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
        let arrays = self.weights[point * E::DEGREE * length..][..E::DEGREE * length].chunks_exact_mut(length);
        for (target, array) in targets.iter_mut().zip(arrays) {
            *target = array.as_mut_ptr();
        }
        targets
    }
}

/// One task: adds the sums of its rows to `sums[point][column]`.
struct Block<'s, 'a, E: LaneField> {
    plan: &'s Plan<'a, E>,
    scratch: &'s mut Scratch,
    block: usize,
    sums: &'s mut [E],
}

impl<E: LaneField> Kernel for Block<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { plan, scratch, block, sums } = self;
        let length = 1 << plan.log_block;
        match &plan.weights {
            Weights::Evaluations(points) => barycentric::<I::Goldilocks, E>(plan, scratch, points.start(block), points),
            Weights::Coefficients => powers::<I::Goldilocks, E>(plan, scratch, block),
        }
        for (number, column) in plan.columns.iter().enumerate() {
            let column = &column[block * length..][..length];
            for point in 0..plan.points.len() {
                let weights = sources(scratch.weights::<E>(point, length));
                let mut sum = E::Lanes::<I::Goldilocks>::from_base(I::Goldilocks::splat_raw(0));
                let mut row = 0;
                while row < length {
                    // SAFETY: the weights have `length` rows, a multiple of the lanes.
                    let weight = unsafe { E::Lanes::<I::Goldilocks>::load(weights, row) };
                    sum = sum.add(weight.mul_base(I::Goldilocks::load(&column[row..])));
                    row += I::Goldilocks::LANES;
                }
                sums[point * plan.columns.len() + number] += E::sum_lanes(sum);
            }
        }
    }
}

/// Weights `x / (x - z)`.
#[inline(always)]
fn barycentric<V: Packed, E: LaneField>(plan: &Plan<'_, E>, scratch: &mut Scratch, start: Goldilocks, points: &Points) {
    let length = 1 << plan.log_block;
    let start = V::splat(start);
    for (number, pole) in plan.poles.iter().enumerate() {
        let weights = scratch.weights::<E>(number, length);
        let norms = scratch.norms[number * length..][..length].as_mut_ptr();
        let mut row = 0;
        while row < length {
            let x: V = points.lanes(start, row);
            let (adjugate, norm) = E::adjugate::<V>(pole, x);
            // SAFETY: weights and norms have `length` rows, a multiple of the lanes.
            unsafe {
                norm.store_raw(norms.add(row));
                adjugate.store(weights, row);
            }
            row += V::LANES;
        }
    }
    batch_inverse::<V>(&mut scratch.norms, &mut scratch.before);
    for number in 0..plan.poles.len() {
        let weights = scratch.weights::<E>(number, length);
        let norms = scratch.norms[number * length..][..length].as_ptr();
        let mut row = 0;
        while row < length {
            // SAFETY: as above.
            unsafe {
                let adjugate = E::Lanes::<V>::load(sources(weights), row);
                let factor = points.lanes(start, row).mul(V::load_raw(norms.add(row)));
                adjugate.mul_base(factor).store(weights, row);
            }
            row += V::LANES;
        }
    }
}

/// Weights `z^row`: a run of powers, doubled until it fills the block.
#[inline(always)]
fn powers<V: Packed, E: LaneField>(plan: &Plan<'_, E>, scratch: &mut Scratch, block: usize) {
    let length = 1usize << plan.log_block;
    for (number, point) in plan.points.iter().enumerate() {
        let mut power = point.pow((block << plan.log_block) as u64);
        let weights = &mut scratch.weights[number * E::DEGREE * length..][..E::DEGREE * length];
        for row in 0..V::LANES {
            for (k, coordinate) in power.coordinates().iter().enumerate() {
                weights[k * length + row] = coordinate.value();
            }
            power *= *point;
        }
        let targets = scratch.weights::<E>(number, length);
        let mut done = V::LANES;
        // z^done.
        let mut step = point.pow(V::LANES as u64);
        while done < length {
            let factor = E::Lanes::<V>::splat(step);
            let mut row = 0;
            while row < done {
                // SAFETY: the weights have `length` rows; `done` and `length` are powers of two, at least the lanes.
                unsafe {
                    let weight = E::Lanes::<V>::load(sources(targets), row);
                    weight.mul(factor).store(targets, done + row);
                }
                row += V::LANES;
            }
            step = step.square();
            done *= 2;
        }
    }
}
