//! Preprocessed columns at the out-of-domain point.
//!
//! Neither the proof nor its transcript says what is in tree 0: its root is the prover's. A prover that commits to other
//! selectors or tables than the statement's would prove another statement, so the verifier evaluates every preprocessed
//! column that a component reads and compares with the sampled value, from which the constraints are computed. That costs
//! `2^n` field operations a column and, unlike the root, neither a transform nor a hash.

use field::M31;
use field::circle::storage_to_coset_row;
use stwo::core::circle::{CirclePoint, CirclePointIndex};
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;

/// Evaluates columns of `2^n` rows, `1 <= n <= 30`, at one point.
///
/// A column is `f0(x) + y f1(x)`, and `f0 = g0(2x^2 - 1) + x g1(2x^2 - 1)` and so on, so that a pair of values at points of
/// opposite coordinate t becomes one: `(a + b)/2 + (a - b)/(2t) T`, T the same coordinate of the point of evaluation.
pub(crate) struct Evaluator {
    log_rows: u32,
    /// For each level, T and the inverse of every t.
    levels: Vec<(SecureField, Vec<BaseField>)>,
}

impl Evaluator {
    pub(crate) fn new(log_rows: u32, point: CirclePoint<SecureField>) -> Self {
        let points = half_coset(log_rows);
        let mut levels = Vec::with_capacity(log_rows as usize);
        let (mut xs, ys): (Vec<_>, Vec<_>) = points.into_iter().unzip();
        levels.push((point.y, BaseField::batch_inverse(&ys)));
        let mut x = point.x;
        while xs.len() > 1 {
            // Storage indices of a pair differ in the lowest bit, and their x coordinates in the sign.
            let firsts: Vec<BaseField> = xs.iter().step_by(2).copied().collect();
            levels.push((x, BaseField::batch_inverse(&firsts)));
            xs = firsts.into_iter().map(CirclePoint::double_x).collect();
            x = CirclePoint::double_x(x);
        }
        Self { log_rows, levels }
    }

    /// The column with these values, by row, at the point.
    pub(crate) fn evaluate(&self, rows: &[M31]) -> SecureField {
        let value =
            |storage: usize| BaseField::from_u32_unchecked(rows[storage_to_coset_row(storage, self.log_rows)].value());
        let (y, inverses) = &self.levels[0];
        let mut values: Vec<SecureField> = inverses
            .iter()
            .enumerate()
            .map(|(index, inverse)| {
                let (a, b) = (value(2 * index), value(2 * index + 1));
                *y * ((a - b) * *inverse) + (a + b)
            })
            .collect();
        for (x, inverses) in &self.levels[1..] {
            for (index, inverse) in inverses.iter().enumerate() {
                let (a, b) = (values[2 * index], values[2 * index + 1]);
                values[index] = a + b + *x * ((a - b) * *inverse);
            }
            values.truncate(inverses.len());
        }
        values[0] * BaseField::from_u32_unchecked(2).pow(u128::from(self.log_rows)).inverse()
    }
}

/// The points of the half coset of `D_n` in storage order: those with even storage index.
fn half_coset(n: u32) -> Vec<(BaseField, BaseField)> {
    let mut points = vec![CirclePointIndex::subgroup_gen(n + 1).to_point()];
    // Point number i is the first plus i steps. Bit j of i is bit n - 2 - j of the position, so doubling the list by each bit
    // of i, lowest first, puts every point where it belongs.
    let mut step = CirclePointIndex::subgroup_gen(n - 1).to_point();
    for _ in 1..n {
        points = points.into_iter().flat_map(|point| [point, point + step]).collect();
        step = step.double();
    }
    points.into_iter().map(|point| (point.x, point.y)).collect()
}

#[cfg(test)]
mod tests {
    use stwo::core::poly::circle::CanonicCoset;

    use super::*;

    fn row_point(row: usize, n: u32) -> CirclePoint<BaseField> {
        CanonicCoset::new(n).coset().at(row)
    }

    #[test]
    fn at_a_row_it_is_the_value_of_the_row() {
        for n in 1..=7 {
            let rows: Vec<M31> = (0..1_u32 << n).map(|row| M31::new(row * row + 7 * row + 3)).collect();
            for row in 0..1 << n {
                let value = Evaluator::new(n, row_point(row, n).into_ef()).evaluate(&rows);
                assert_eq!(value, BaseField::from(rows[row].value()).into(), "row {row} of 2^{n}");
            }
        }
    }

    #[test]
    fn elsewhere_it_is_the_polynomial() {
        // 3 + 2x + 5y + 4xy, on the smallest domain that fixes it and on larger ones.
        let f = |x: SecureField, y: SecureField| {
            let number = |value: u32| SecureField::from(BaseField::from(value));
            number(3) + number(2) * x + number(5) * y + number(4) * x * y
        };
        let point = CirclePoint::<SecureField>::get_point(123_456_789_012_345);
        for n in 2..=6 {
            let row = |row| {
                let at = row_point(row, n).into_ef::<SecureField>();
                M31::new(f(at.x, at.y).to_m31_array()[0].0)
            };
            let rows: Vec<M31> = (0..1 << n).map(row).collect();
            assert_eq!(Evaluator::new(n, point).evaluate(&rows), f(point.x, point.y), "2^{n}");
        }
    }
}
