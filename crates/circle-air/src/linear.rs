//! Linear equations over the base field.

use field::{Field, M31};

/// The one solution of equations in `unknowns` unknowns: each row has their coefficients, then the right side. `None`
/// if there is none, or more than one.
pub(crate) fn solution(mut rows: Vec<Vec<M31>>, unknowns: usize) -> Option<Vec<M31>> {
    // Gauss-Jordan: row `i` in the end has the value of unknown `i`.
    for column in 0..unknowns {
        let pivot = (column..rows.len()).find(|&row| !rows[row][column].is_zero())?;
        rows.swap(column, pivot);
        let inverse = rows[column][column].inverse()?;
        rows[column].iter_mut().for_each(|value| *value *= inverse);
        let pivot = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if index != column && !factor.is_zero() {
                row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * *pivot);
            }
        }
    }
    let (solved, checks) = rows.split_at(unknowns);
    let is_solved = checks.iter().all(|row| row[unknowns].is_zero());
    is_solved.then(|| solved.iter().map(|row| row[unknowns]).collect())
}
