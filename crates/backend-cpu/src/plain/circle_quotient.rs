//! Values at points outside the domain, the DEEP quotient and the folds of the Circle protocol.

use field::circle::CirclePoint;
use field::{CM31, Field, M31, QM31, batch_inverse};
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, DeepTerm, Operation, Protocol, Result};

use super::circle_fft;
use super::geometry::Geometry;
use super::table::{base, extension, set_extension};
use crate::memory::{CpuBuffer, Memory};

type Table<'a> = Columns<&'a CpuBuffer<M31>>;
type NewTable = Columns<CpuBuffer<M31>>;

/// The polynomial with these coefficients (circle.md, section 2) at a point: the product over the set bits of the index of `y`, `x`,
/// `pi(x)`, ....
pub(crate) fn value(coefficients: &[M31], point: CirclePoint<QM31>) -> QM31 {
    let mut factors = vec![point.y];
    let mut x = point.x;
    while 1 << factors.len() < coefficients.len() {
        factors.push(x);
        x = CirclePoint::double_x(x);
    }
    let product = |index: usize| {
        let set = factors.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1);
        set.fold(QM31::ONE, |product, (_, factor)| product * *factor)
    };
    coefficients.iter().enumerate().map(|(index, c)| product(index) * *c).sum()
}

/// [`gpu_hal::StarkBackend::eval_at`].
pub(crate) fn eval_at(table: &Table<'_>, from: &Basis<CircleDomain>, points: &[CirclePoint<QM31>]) -> Vec<Vec<QM31>> {
    let polynomial = |column: &[M31]| match from {
        Basis::Coefficients => column.to_vec(),
        Basis::Evaluations { domain, order } => {
            // Of a table higher than the domain the first rows count.
            let mut coefficients = column[..1 << CircleStark::log_size(domain)].to_vec();
            circle_fft::interpolate(&mut coefficients, domain, *order);
            coefficients
        }
    };
    let polynomials: Vec<_> = table.data.values().chunks_exact(table.height()).map(polynomial).collect();
    let values = |point: &CirclePoint<QM31>| polynomials.iter().map(|c| value(c, *point)).collect();
    points.iter().map(values).collect()
}

/// `sum over terms of (sum of weight * column(q) - constant - slope q.y) / denominator(q)`, circle.md section 10.
pub(crate) fn deep(
    memory: &Memory,
    tables: &[Table<'_>],
    domain: &CircleDomain,
    terms: &[DeepTerm<CircleStark>],
) -> Result<NewTable> {
    let log_size = CircleStark::log_size(domain);
    let log_whole = CircleStark::log_whole(domain);
    let mut result = memory.columns(Operation::DeepQuotient, CircleStark::DEGREE, log_size)?;
    let points = CircleStark::points(domain, log_size);
    let mut sums = vec![QM31::ZERO; points.len()];
    for term in terms {
        let CirclePoint { x, y } = term.point;
        let denominator =
            |q: &CirclePoint<M31>| (x.z0() - CM31::from(q.x)) * y.z1() - (y.z0() - CM31::from(q.y)) * x.z1();
        let mut inverses: Vec<CM31> = points.iter().map(denominator).collect();
        batch_inverse(&mut inverses);
        for (storage, (sum, inverse)) in sums.iter_mut().zip(inverses).enumerate() {
            let value = |(table, column, weight): &(usize, usize, QM31)| {
                let table = &tables[*table];
                *weight * base(table, *column, CircleStark::lift_index(storage, log_whole, table.log_height))
            };
            let values: QM31 = term.weights.iter().map(value).sum();
            *sum += (values - term.constant - term.slope * points[storage].y) * QM31::from_cm31(inverse, CM31::ZERO);
        }
    }
    for (storage, sum) in sums.into_iter().enumerate() {
        set_extension::<CircleStark>(&mut result, 0, storage, sum);
    }
    Ok(result)
}

/// `out[i] = (f[2i] + f[2i+1]) + alpha (f[2i] - f[2i+1])/t` with `t` the y-coordinate of the point at storage index `2i` of a
/// circle, its x-coordinate on a line (circle.md, section 11).
pub(crate) fn fold(
    memory: &Memory,
    layer: &Table<'_>,
    domain: &CircleDomain,
    folded: &CircleDomain,
    alpha: QM31,
) -> Result<NewTable> {
    let mut result = memory.columns(Operation::FriFold, CircleStark::DEGREE, CircleStark::log_size(folded))?;
    let factor = |point: CirclePoint<M31>| match domain {
        CircleDomain::Circle { .. } => point.y,
        CircleDomain::Line { .. } => point.x,
    };
    let points = CircleStark::points(domain, CircleStark::log_size(domain));
    let mut inverses: Vec<M31> = points.into_iter().step_by(2).map(factor).collect();
    batch_inverse(&mut inverses);
    for (i, inverse) in inverses.into_iter().enumerate() {
        let (a, b) = (extension::<CircleStark>(layer, 0, 2 * i), extension::<CircleStark>(layer, 0, 2 * i + 1));
        set_extension::<CircleStark>(&mut result, 0, i, (a + b) + alpha * ((a - b) * inverse));
    }
    Ok(result)
}
