//! Columns that linear recurrences make.

use field::{Field, M31};
use gpu_hal::LinearRecurrence;

/// `first + r` in row `r`: `f(r + 2) = 2 f(r + 1) - f(r)`.
pub(super) fn count_from(log_height: u32, first: M31) -> LinearRecurrence<M31> {
    let coefficients = vec![-M31::ONE, M31::new(2)];
    LinearRecurrence { coefficients, initial: vec![first, first + M31::ONE], restarts: Vec::new(), log_height }
}

/// `r^2` in row `r`: third differences are zero.
pub(super) fn squares(log_height: u32) -> LinearRecurrence<M31> {
    let coefficients = vec![M31::ONE, -M31::new(3), M31::new(3)];
    LinearRecurrence { coefficients, initial: [0, 1, 4].map(M31::new).into(), restarts: Vec::new(), log_height }
}

/// Two values in turn.
pub(super) fn alternating(log_height: u32, values: [M31; 2]) -> LinearRecurrence<M31> {
    LinearRecurrence {
        coefficients: vec![M31::ONE, M31::ZERO],
        initial: values.into(),
        restarts: Vec::new(),
        log_height,
    }
}

/// A value from each of the given rows on, the first being row 0. Rows do not descend; of equal ones the last counts;
/// rows behind the end do not count.
pub(super) fn steps(log_height: u32, values: &[(usize, M31)]) -> LinearRecurrence<M31> {
    let mut starts: Vec<(usize, Vec<M31>)> = Vec::with_capacity(values.len());
    for &(row, value) in values.iter().filter(|(row, _)| *row < 1 << log_height) {
        starts.pop_if(|(before, _)| *before == row);
        starts.push((row, vec![value]));
    }
    let (_, initial) = starts.remove(0);
    LinearRecurrence { coefficients: vec![M31::ONE], initial, restarts: starts, log_height }
}
