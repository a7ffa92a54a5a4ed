//! Translates a position of one order to another. All functions are pure integer arithmetic.

use crate::bit_reverse;

/// The natural position in the circle domain of size `2^n` of row `row < 2^n` of a component.
///
/// Row `r` is the point `g_{n+1} + r g_n`, of index `(2r + 1) 2^(30-n)`. An even `r` is `r/2` steps into the half
/// coset. For odd `r` the opposite index belongs to row `2^n - 1 - r`, which is even, so the point is the conjugate of
/// the half coset's point number `(2^n - 1 - r)/2` and comes `2^(n-1)` later: together `(2^(n+1) - r)/2`, rounded down.
#[inline]
#[must_use]
pub const fn coset_row_to_circle_domain_index(row: usize, n: u32) -> usize {
    if row & 1 == 0 { row >> 1 } else { ((2 << n) - row) >> 1 }
}

/// The row of a component at natural position `position < 2^n` of the circle domain of size `2^n`.
#[inline]
#[must_use]
pub const fn circle_domain_index_to_coset_row(position: usize, n: u32) -> usize {
    if position < (1 << n) >> 1 { position << 1 } else { (2 << n) - 1 - (position << 1) }
}

/// The storage index of row `row < 2^n` of a component of log size `n`.
#[inline]
#[must_use]
pub const fn coset_row_to_storage(row: usize, n: u32) -> usize {
    bit_reverse(coset_row_to_circle_domain_index(row, n), n)
}

/// The row at storage index `storage < 2^n` of a component of log size `n`.
#[inline]
#[must_use]
pub const fn storage_to_coset_row(storage: usize, n: u32) -> usize {
    circle_domain_index_to_coset_row(bit_reverse(storage, n), n)
}

/// Where the lift of a column of `2^log_column` values to `2^log_lifted` points reads: the lifted value at storage
/// index `storage` is the column's value at the returned storage index.
///
/// As functions, `lifted(P) = column([2^(log_lifted - log_column)] P)`. Needs `1 <= log_column <= log_lifted`.
#[inline]
#[must_use]
pub const fn lift_index(storage: usize, log_column: u32, log_lifted: u32) -> usize {
    ((storage >> (log_lifted - log_column + 1)) << 1) + (storage & 1)
}

/// Where the value `offset` rows later is: on the evaluation domain of size `2^log_evaluation` of a component of
/// `2^log_rows` rows, the storage index of the point `P + offset g_n`, with `n = log_rows` and `P` the point at
/// `storage`.
///
/// With `log_evaluation = log_rows` this is the trace domain itself, where rows wrap around.
///
/// Needs `1 <= log_rows <= log_evaluation <= 30` and `storage < 2^log_evaluation`.
#[inline]
#[must_use]
pub const fn neighbour_index(storage: usize, offset: i64, log_rows: u32, log_evaluation: u32) -> usize {
    let size = 1_i64 << log_evaluation;
    if log_evaluation == log_rows {
        // The step g_n leads from the half coset to the conjugates and back, so go through the rows.
        let row = storage_to_coset_row(storage, log_rows) as i64;
        return coset_row_to_storage((row + offset.rem_euclid(size)).rem_euclid(size) as usize, log_rows);
    }
    // g_n is 2^(log_evaluation - n - 1) steps of the half coset. Conjugates run the other way.
    let half = size >> 1;
    let rows = 1_i64 << log_rows;
    let steps = offset.rem_euclid(rows) << (log_evaluation - log_rows - 1);
    let position = bit_reverse(storage, log_evaluation) as i64;
    let moved = if position < half {
        (position + steps).rem_euclid(half)
    } else {
        half + (position - half - steps).rem_euclid(half)
    };
    bit_reverse(moved as usize, log_evaluation)
}
