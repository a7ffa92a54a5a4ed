//! Polynomials on the circle and on the line of its x-coordinates.
//!
//! Coefficient `b0 + 2 b1 + 4 b2 + ...` belongs to `y^b0 x^b1 pi(x)^b2 ...` on a circle domain and to
//! `x^b0 pi(x)^b1 ...` on a line domain, with `pi(x) = 2x^2 - 1`. Layer `i` of the transform deals with bit `i`: in
//! storage order the factors of all higher bits are constant on each block of `2^(i+1)` values, and in a block the
//! factor of bit `i` is `t` on the first half, `-t` on the second.

use field::circle::CirclePoint;
use field::{Field, M31};
use gpu_hal::{CircleDomain, Domain, EvalOrder};

/// From coefficients to values, in place, for every column of the domain's size.
pub(super) fn evaluate(columns: &mut [M31], domain: &CircleDomain, order: EvalOrder) {
    let log_size = domain.log_size();
    let layers = factors(domain);
    for column in columns.chunks_exact_mut(1 << log_size) {
        for (layer, factors) in layers.iter().enumerate().rev() {
            // f = f_0 + t f_1 on the first half, f_0 - t f_1 on the second.
            butterflies(column, layer, factors, |a, b, t| (a + t * b, a - t * b));
        }
        if order == EvalOrder::Row {
            let stored = column.to_vec();
            (0..column.len()).for_each(|row| column[row] = stored[domain.row_to_storage(row)]);
        }
    }
}

/// From values to coefficients, in place, for every column of the domain's size.
pub(super) fn interpolate(columns: &mut [M31], domain: &CircleDomain, order: EvalOrder) {
    let log_size = domain.log_size();
    let mut layers = factors(domain);
    // No t is zero: the domains do not contain points of order four or less.
    layers.iter_mut().flatten().for_each(|t| *t = t.inverse_or_zero());
    let scale = M31::new(1 << log_size).inverse_or_zero();
    for column in columns.chunks_exact_mut(1 << log_size) {
        if order == EvalOrder::Row {
            let rows = column.to_vec();
            (0..rows.len()).for_each(|row| column[domain.row_to_storage(row)] = rows[row]);
        }
        for (layer, inverses) in layers.iter().enumerate() {
            // 2 f_0 = a + b, 2 f_1 = (a - b)/t; the factors 2 are divided out at the end.
            butterflies(column, layer, inverses, |a, b, inverse| (a + b, (a - b) * inverse));
        }
        column.iter_mut().for_each(|value| *value *= scale);
    }
}

/// Replaces the pairs `(h 2^(i+1) + l, h 2^(i+1) + l + 2^i)` of layer `i` by `butterfly(a, b, factors[h])`.
fn butterflies(values: &mut [M31], layer: usize, factors: &[M31], butterfly: impl Fn(M31, M31, M31) -> (M31, M31)) {
    for (block, factor) in values.chunks_exact_mut(2 << layer).zip(factors) {
        let (low, high) = block.split_at_mut(1 << layer);
        for (a, b) in low.iter_mut().zip(high) {
            (*a, *b) = butterfly(*a, *b, *factor);
        }
    }
}

/// `result[i][h]`: the factor of bit `i` at the first point of block `h`, which is the point at storage index
/// `h 2^(i+1)`.
fn factors(domain: &CircleDomain) -> Vec<Vec<M31>> {
    let log_size = domain.log_size();
    let points = domain.points();
    let factor = |layer: u32, point: CirclePoint<M31>| match domain {
        CircleDomain::Circle { .. } if layer == 0 => point.y,
        CircleDomain::Circle { .. } => CirclePoint::repeated_double_x(point.x, layer - 1),
        CircleDomain::Line { .. } => CirclePoint::repeated_double_x(point.x, layer),
    };
    (0..log_size)
        .map(|layer| {
            let blocks = 0..1_usize << (log_size - layer - 1);
            blocks.map(|h| factor(layer, points[h << (layer + 1)])).collect()
        })
        .collect()
}
