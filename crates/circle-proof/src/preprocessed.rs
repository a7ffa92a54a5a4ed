//! Preprocessed columns at the out-of-domain point.
//!
//! Neither the proof nor its transcript names the columns of tree 0: its root is the prover's. A prover that commits to
//! other selectors or tables than the statement's would prove another statement, so the verifier evaluates every
//! preprocessed column that is sampled and compares with the sampled value, from which the constraints are computed.
//! The check costs `2^n` field operations a column and, unlike the root, neither a transform nor a hash.

use field::circle::{CirclePoint, CirclePointIndex};
use field::{M31, QM31, batch_inverse};

/// Evaluates columns of `2^n` rows, `1 <= n <= 30`, at one point.
///
/// A column is `f0(x) + y f1(x)`, and `f0 = g0(2x^2 - 1) + x g1(2x^2 - 1)` and so on, so that a pair of values at
/// points of opposite coordinate t becomes one: `(a + b)/2 + (a - b)/(2t) T`, T the same coordinate of the point of
/// evaluation.
///
/// All lists are in natural order, in which the two of a pair are half a list apart: memory is walked from front to
/// back.
pub(crate) struct Evaluator {
    log_rows: u32,
    /// For each level, T and the inverse of every t.
    levels: Vec<(QM31, Vec<M31>)>,
}

impl Evaluator {
    pub(crate) fn new(log_rows: u32, point: CirclePoint<QM31>) -> Self {
        let mut levels = Vec::with_capacity(log_rows as usize);
        let (mut xs, ys) = half_coset(log_rows);
        levels.push((point.y, inverses(ys)));
        let mut x = point.x;
        while xs.len() > 1 {
            // Half of the coset further is the opposite point.
            xs.truncate(xs.len() / 2);
            levels.push((x, inverses(xs.clone())));
            xs.iter_mut().for_each(|x| *x = CirclePoint::double_x(*x));
            x = CirclePoint::double_x(x);
        }
        Self { log_rows, levels }
    }

    /// The column with these `2^n` values, by row, at the point.
    pub(crate) fn evaluate(&self, rows: &[M31]) -> QM31 {
        let (y, inverses) = &self.levels[0];
        // Point i of the half coset is row 2i, its conjugate row 2^n - 1 - 2i.
        let (points, conjugates) = (rows.iter().step_by(2), rows.iter().rev().step_by(2));
        let pairs = points.zip(conjugates).zip(inverses);
        let mut values: Vec<QM31> = pairs.map(|((a, b), inverse)| *y * ((*a - *b) * *inverse) + (*a + *b)).collect();
        for (x, inverses) in &self.levels[1..] {
            let (firsts, seconds) = values.split_at_mut(inverses.len());
            for ((a, b), inverse) in firsts.iter_mut().zip(seconds).zip(inverses) {
                *a = *a + *b + *x * ((*a - *b) * *inverse);
            }
            values.truncate(inverses.len());
        }
        // The inverse of 2^n, as 2^31 = 1.
        values[0] * M31::new(1 << (31 - self.log_rows))
    }
}

fn inverses(mut values: Vec<M31>) -> Vec<M31> {
    batch_inverse(&mut values);
    values
}

/// The coordinates of the points of the half coset of `D_n`, in natural order.
fn half_coset(n: u32) -> (Vec<M31>, Vec<M31>) {
    let first = CirclePointIndex::subgroup_generator(n + 1).to_point();
    let mut steps = CirclePointIndex::subgroup_generator(n - 1).to_point();
    let (mut xs, mut ys) = (vec![first.x], vec![first.y]);
    // As many points again, all moved by as many steps.
    for _ in 1..n {
        for index in 0..xs.len() {
            let moved = CirclePoint { x: xs[index], y: ys[index] } + steps;
            xs.push(moved.x);
            ys.push(moved.y);
        }
        steps = steps.double();
    }
    (xs, ys)
}

#[cfg(test)]
mod tests {
    use field::circle::Coset;

    use super::*;

    fn row_point(row: usize, n: u32) -> CirclePoint<M31> {
        Coset::canonic(n).at(row)
    }

    #[test]
    fn at_a_row_it_is_the_value_of_the_row() {
        for n in 1..=7 {
            let rows: Vec<M31> = (0..1_u32 << n).map(|row| M31::new(row * row + 7 * row + 3)).collect();
            for row in 0..1 << n {
                let value = Evaluator::new(n, row_point(row, n).into_extension()).evaluate(&rows);
                assert_eq!(value, QM31::from(rows[row]), "row {row} of 2^{n}");
            }
        }
    }

    #[test]
    fn elsewhere_it_is_the_polynomial() {
        // 3 + 2x + 5y + 4xy, on the smallest domain that fixes it and on larger ones.
        let f = |x: QM31, y: QM31| {
            let number = |value: u32| QM31::from(M31::new(value));
            number(3) + number(2) * x + number(5) * y + number(4) * x * y
        };
        let point = CirclePoint::from_parameter(QM31([123, 456, 789, 1234].map(M31::new))).expect("a point");
        for n in 2..=6 {
            let row = |row| {
                let at = row_point(row, n).into_extension();
                f(at.x, at.y).0[0]
            };
            let rows: Vec<M31> = (0..1 << n).map(row).collect();
            assert_eq!(Evaluator::new(n, point).evaluate(&rows), f(point.x, point.y), "2^{n}");
        }
    }
}
