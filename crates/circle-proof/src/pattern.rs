//! Preprocessed columns in closed form: periodic except for a few rows. The verifier evaluates them in time by log2 of
//! their rows.

use field::circle::{CirclePoint, Coset};
use field::{Field, M31, QM31};
use gpu_hal::LinearRecurrence;

use crate::preprocessed::Evaluator;

/// Most rows that may differ from the pattern.
const MAX_OTHERS: usize = 64;

/// A column of `2^log_rows` rows that repeats a few values, and has others in a few rows: a selector, a step near an
/// end, a period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    log_rows: u32,
    /// The repeated values, from row 0 on: a power of two of them.
    values: Vec<M31>,
    /// Rows that differ, and by how much.
    others: Vec<(usize, M31)>,
}

impl Pattern {
    /// The column that a recurrence makes, if it repeats its values: `f(r + k) = f(r)`, with starts such that all but
    /// [`MAX_OTHERS`] rows belong to one.
    pub(crate) fn new(recurrence: &LinearRecurrence<M31>) -> Option<Self> {
        let (period, log_rows) = (recurrence.coefficients.len(), recurrence.log_height);
        let repeats = |(at, factor): (usize, &M31)| *factor == if at == 0 { M31::ONE } else { M31::ZERO };
        let rows = 1usize.checked_shl(log_rows)?;
        if !period.is_power_of_two() || period > rows || !recurrence.coefficients.iter().enumerate().all(repeats) {
            return None;
        }
        let starts: Vec<(usize, &[M31])> = recurrence.starts().collect();
        let end = |segment: usize| starts.get(segment + 1).map_or(rows, |(row, _)| *row);
        let (longest, _) = (0..starts.len()).map(|s| (s, end(s) - starts[s].0)).max_by_key(|(_, length)| *length)?;
        let value = |segment: usize, row: usize| {
            let (start, initial) = starts[segment];
            initial[(row + rows - start) % period]
        };
        if rows - (end(longest) - starts[longest].0) > MAX_OTHERS {
            return None;
        }
        let segments = (0..starts.len()).filter(|segment| *segment != longest);
        let others = segments.flat_map(|s| (starts[s].0..end(s)).map(move |row| (s, row)));
        let others = others.map(|(s, row)| (row, value(s, row) - value(longest, row)));
        Some(Self { log_rows, values: (0..period).map(|row| value(longest, row)).collect(), others: others.collect() })
    }

    /// The column's polynomial at a point. A column that repeats after `2^p` rows is a polynomial in the point doubled
    /// `n - p` times.
    pub(crate) fn evaluate(&self, point: CirclePoint<QM31>) -> QM31 {
        let log_period = self.values.len().trailing_zeros();
        let repeated = match log_period {
            0 => self.values[0].into(),
            _ => Evaluator::new(log_period, point.repeated_double(self.log_rows - log_period)).evaluate(&self.values),
        };
        self.others.iter().fold(repeated, |sum, (row, by)| sum + self.weight(*row, point) * *by)
    }

    /// The polynomial that is 1 in a row and 0 in all others. A fold keeps, of the value at a point with coordinate t,
    /// the share `(1 + T/t)/2`, T the same coordinate of the point of evaluation ([`Evaluator`]); the weight is the
    /// product of the shares.
    fn weight(&self, row: usize, point: CirclePoint<QM31>) -> QM31 {
        let of_row = Coset::canonic(self.log_rows).at(row);
        let half = M31::new(1 << 30);
        // No coordinate of a row is zero.
        let share = |of_point: QM31, of_row: M31| (QM31::ONE + of_point * of_row.inverse_or_zero()) * half;
        let (mut weight, mut x, mut row_x) = (share(point.y, of_row.y), point.x, of_row.x);
        for _ in 1..self.log_rows {
            weight *= share(x, row_x);
            x = CirclePoint::double_x(x);
            row_x = CirclePoint::double_x(row_x);
        }
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recurrence(coefficients: &[u32], starts: &[(usize, &[u32])], log_height: u32) -> LinearRecurrence<M31> {
        let values = |values: &[u32]| values.iter().copied().map(M31::new).collect::<Vec<_>>();
        let ((_, initial), restarts) = starts.split_first().expect("a start");
        LinearRecurrence {
            coefficients: values(coefficients),
            initial: values(initial),
            restarts: restarts.iter().map(|(row, of)| (*row, values(of))).collect(),
            log_height,
        }
    }

    /// By the definition of a recurrence.
    fn rows(recurrence: &LinearRecurrence<M31>) -> Vec<M31> {
        let mut rows = vec![M31::ZERO; 1 << recurrence.log_height];
        for (start, initial) in recurrence.starts() {
            for row in start..rows.len() {
                rows[row] = match initial.get(row - start) {
                    Some(value) => *value,
                    None => {
                        (0..initial.len()).map(|i| recurrence.coefficients[i] * rows[row - initial.len() + i]).sum()
                    }
                };
            }
        }
        rows
    }

    #[test]
    fn it_is_the_polynomial_of_its_rows() {
        let point = CirclePoint::from_parameter(QM31([998, 877, 665, 544].map(M31::new))).expect("a point");
        for log_height in 1..=9 {
            let last = (1 << log_height) - 1;
            let mut cases = vec![
                recurrence(&[1], &[(0, &[7])], log_height),
                recurrence(&[1], &[(0, &[1]), (1, &[0])], log_height),
                recurrence(&[1], &[(0, &[0]), (last, &[5])], log_height),
                recurrence(&[1, 0], &[(0, &[3, 4])], log_height),
            ];
            if log_height >= 3 {
                cases.push(recurrence(&[1, 0, 0, 0], &[(0, &[9, 8, 7, 6]), (last - 1, &[1, 2, 3, 4])], log_height));
                cases.push(recurrence(&[1, 0], &[(0, &[3, 4]), (3, &[5, 6]), (5, &[1, 2])], log_height));
            }
            for case in cases {
                let pattern = Pattern::new(&case).expect("it repeats");
                let expected = Evaluator::new(log_height, point).evaluate(&rows(&case));
                assert_eq!(pattern.evaluate(point), expected, "{case:?}");
            }
        }
    }

    #[test]
    fn others_have_no_closed_form() {
        // A counter, a step in the middle, a period that is no power of two.
        assert_eq!(Pattern::new(&recurrence(&[(1 << 31) - 2, 2], &[(0, &[0, 1])], 10)), None);
        assert_eq!(Pattern::new(&recurrence(&[1], &[(0, &[0]), (512, &[1])], 10)), None);
        assert_eq!(Pattern::new(&recurrence(&[1, 0, 0], &[(0, &[0, 1, 2])], 10)), None);
    }

    #[test]
    fn as_many_rows_as_may_differ() {
        let with = |others: usize| Pattern::new(&recurrence(&[1], &[(0, &[0]), (1024 - others, &[1])], 10));
        assert!(with(MAX_OTHERS).is_some() && with(MAX_OTHERS + 1).is_none());
    }

    #[test]
    fn a_period_fits_into_the_column() {
        assert!(Pattern::new(&recurrence(&[1, 0, 0, 0], &[(0, &[0, 1, 2, 3])], 2)).is_some());
        assert!(Pattern::new(&recurrence(&[1, 0, 0, 0], &[(0, &[0, 1, 2, 3])], 1)).is_none());
    }
}
