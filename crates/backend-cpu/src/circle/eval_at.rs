//! Values outside the domain: sums of weight times element, with weights that all columns of a table share.
//!
//! With `z_i` the factor of bit `i` at the point (`y`, `x`, `pi(x)`, ...) and `t_i` that of a block, a polynomial at
//! the point is that of the lower half of its coefficients plus `z_i` times that of the upper half; from values it is
//! `(a + b)/2 + z_i (a - b)/(2 t_i)`. So the weight `w` of a block is `w` and `w z_i` for its halves, or, the factors 2
//! left to the end, `w + w z_i/t_i` and `w - w z_i/t_i`.

use std::borrow::Cow;

use field::circle::CirclePoint;
use field::{Field, M31, QM31};
use gpu_hal::{Basis, CancelToken, CircleDomain, CircleStark, Columns, Domain, EvalOrder, Operation, Result};
use rayon::prelude::*;

use super::factors::{CircleTables, Layer};
use super::m31::{Dot, LANES, Lanes, QLanes, sum_lanes};
use super::ntt;
use crate::addresses::array_sources;
use crate::blocks::at_least;
use crate::lanes::ExtLanes;
use crate::memory::{CpuBuffer, Memory};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Rows of a task.
const LOG_BLOCK: u32 = 12;
/// Columns that a pass over the weights takes.
const TOGETHER: usize = 2;

struct Point<'a> {
    /// The factor of each bit.
    factors: Vec<QM31>,
    /// The factors of the blocks of the domain, of each bit, for values.
    layers: Option<&'a [Layer<'a>]>,
    /// The weight of every task's block.
    blocks: Vec<QM31>,
    scale: M31,
}

impl Point<'_> {
    /// The weights of the halves of block `number`, of `2^(bit + 1)` rows.
    fn halves(&self, weight: QM31, bit: usize, number: usize) -> [QM31; 2] {
        let upper = weight * self.factors[bit];
        match self.layers {
            None => [weight, upper],
            Some(layers) => {
                let upper = upper * layers[bit].inverses[number];
                [weight + upper, weight - upper]
            }
        }
    }
}

/// `result[point][column]`; the arguments are checked.
pub(super) fn eval_at(
    memory: &Memory,
    level: SimdLevel,
    tables: &CircleTables,
    table: &Columns<&CpuBuffer<M31>>,
    from: &Basis<CircleDomain>,
    points: &[CirclePoint<QM31>],
) -> Result<Vec<Vec<QM31>>> {
    let (layers, log_rows) = match from {
        Basis::Coefficients => (None, table.log_height),
        Basis::Evaluations { domain: domain @ CircleDomain::Circle { .. }, order: EvalOrder::Storage } => {
            (Some(tables.layers(domain)), domain.log_size())
        }
        Basis::Evaluations { domain, .. } => {
            // Values on a line or in the order of rows go by way of coefficients.
            let log_rows = domain.log_size();
            let mut coefficients = memory.columns(Operation::EvalAt, table.width, log_rows)?;
            let columns = coefficients.data.values_mut().chunks_exact_mut(1 << log_rows);
            for (column, values) in columns.zip(table.data.values().chunks_exact(table.height())) {
                column.copy_from_slice(&values[..1 << log_rows]);
            }
            ntt::ntt(level, tables, coefficients.as_mut(), from, &Basis::Coefficients);
            return eval_at(memory, level, tables, &coefficients.as_ref(), &Basis::Coefficients, points);
        }
    };
    let log_block = LOG_BLOCK.min(log_rows);
    let prepare = |point: &CirclePoint<QM31>| {
        let doubled = std::iter::successors(Some(point.x), |x| Some(CirclePoint::double_x(*x)));
        let factors = std::iter::once(point.y).chain(doubled).take(log_rows as usize).collect();
        let scale = if layers.is_some() { M31::new(1 << log_rows).inverse_or_zero() } else { M31::ONE };
        let mut prepared = Point { factors, layers: layers.as_deref(), blocks: vec![QM31::ONE], scale };
        for bit in (log_block..log_rows).rev() {
            let weights = prepared.blocks.iter().enumerate();
            prepared.blocks =
                weights.flat_map(|(number, weight)| prepared.halves(*weight, bit as usize, number)).collect();
        }
        prepared
    };
    let columns = table.data.values().chunks_exact(table.height());
    let columns: Vec<Cow<'_, [M31]>> = columns.map(|column| at_least(LANES, column)).collect();
    let (rows, stop) = ((1usize << log_block).max(LANES), CancelToken::here());
    let zero = || vec![QM31::ZERO; columns.len()];
    let value = |point: &CirclePoint<QM31>| {
        let point = prepare(point);
        let tasks = (0..1usize << (log_rows - log_block)).into_par_iter();
        let sums = tasks.map_init(
            || [vec![0; 4 * rows], vec![0; 4 * rows]],
            |scratch, block| match stop.is_stopped() {
                true => zero(),
                false => dispatch(level, Task { point: &point, columns: &columns, block, log_block, scratch }),
            },
        );
        let total = sums.reduce(zero, |a, b| a.into_iter().zip(b).map(|(a, b)| a + b).collect());
        total.into_iter().map(|sum| sum * point.scale).collect()
    };
    Ok(points.iter().map(value).collect())
}

struct Task<'t, 'a> {
    point: &'t Point<'a>,
    columns: &'t [Cow<'a, [M31]>],
    block: usize,
    log_block: u32,
    scratch: &'t mut [Vec<u32>; 2],
}

impl Kernel for Task<'_, '_> {
    type Output = Vec<QM31>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<QM31> {
        let Self { point, columns, block, log_block, scratch } = self;
        let [weights, spare] = scratch;
        // Coordinate k of weight i is at `k * rows + i`. Where there are fewer weights than lanes, the others are zero.
        let rows = weights.len() / 4;
        let mut few = vec![point.blocks[block]];
        let mut bit = log_block as usize;
        while few.len() < LANES && bit > 0 {
            bit -= 1;
            let first = block << (log_block as usize - bit - 1);
            let mut next = Vec::with_capacity(2 * few.len());
            for (number, weight) in few.iter().enumerate() {
                next.extend(point.halves(*weight, bit, first + number));
            }
            few = next;
        }
        for (i, weight) in few.iter().enumerate() {
            for (k, coordinate) in weight.0.iter().enumerate() {
                weights[k * rows + i] = coordinate.value();
            }
        }
        while bit > 0 {
            bit -= 1;
            let count = rows >> (bit + 1);
            let first = block << (log_block as usize - bit - 1);
            let factor = QLanes::<I::M31>::splat(point.factors[bit]);
            let inverses = point.layers.map(|layers| layers[bit].inverses[first..first + count].as_ptr().cast::<u32>());
            let from = array_sources::<CircleStark>(weights, rows);
            let mut at = 0;
            while at < count {
                // SAFETY: there are `count` weights and inverses, a multiple of 16, and room for twice as many.
                unsafe {
                    let weight = QLanes::<I::M31>::load(from, at);
                    let mut halves = [weight, weight.mul(factor)];
                    if let Some(inverses) = inverses {
                        let upper = halves[1].mul_base(I::M31::load(inverses.add(at)));
                        halves = [weight.add(upper), weight.sub(upper)];
                    }
                    for k in 0..4 {
                        let (a, b) = halves[0].0[k].interleave(halves[1].0[k]);
                        let to = spare.as_mut_ptr().add(k * rows + 2 * at);
                        a.store(to);
                        b.store(to.add(LANES));
                    }
                }
                at += LANES;
            }
            std::mem::swap(weights, spare);
        }
        let mut sums = Vec::with_capacity(columns.len());
        for columns in columns.chunks(TOGETHER) {
            let last = &columns[columns.len() - 1];
            let mut places = [last[block * rows..(block + 1) * rows].as_ptr(); TOGETHER];
            for (place, column) in places.iter_mut().zip(columns) {
                *place = column[block * rows..(block + 1) * rows].as_ptr();
            }
            // SAFETY: columns and weights have `rows` rows, a multiple of 16.
            let found = unsafe { weighted::<I::M31>(places.map(<*const M31>::cast), weights, rows) };
            sums.extend_from_slice(&found[..columns.len()]);
        }
        sums
    }
}

/// Sums of weight times element.
///
/// # Safety
/// The columns must be readable for `rows` words and `weights` for four times as many; `rows` is a multiple of 16.
#[inline(always)]
unsafe fn weighted<V: Lanes>(columns: [*const u32; TOGETHER], weights: &[u32], rows: usize) -> [QM31; TOGETHER] {
    let mut sums = [Dot::<V>::zero(); TOGETHER];
    let mut row = 0;
    let mut since = 0;
    while row < rows {
        let mut even = [V::splat(0); 4];
        let mut odd = even;
        for k in 0..4 {
            // SAFETY: the caller's promise.
            even[k] = unsafe { V::load(weights.as_ptr().add(k * rows + row)) };
            odd[k] = even[k].odds();
        }
        for (sum, column) in sums.iter_mut().zip(columns) {
            // SAFETY: the caller's promise.
            sum.add(unsafe { V::load(column.add(row)) }, even, odd);
        }
        row += LANES;
        since += 1;
        if since == 4 || row >= rows {
            since = 0;
            for sum in &mut sums {
                sum.fold();
            }
        }
    }
    let mut result = [QM31::ZERO; TOGETHER];
    for (result, sum) in result.iter_mut().zip(sums) {
        *result = sum_lanes(sum.sum());
    }
    result
}
