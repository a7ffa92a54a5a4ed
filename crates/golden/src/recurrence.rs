//! Recurrences, worked out row by row as their definition says it.

use std::collections::BTreeMap;

use field::PrimeField;
use gpu_hal::LinearRecurrence;

/// All values of a column, in the order of the rows.
///
/// # Panics
/// If no start is at row 0.
pub fn rows<F: PrimeField>(column: &LinearRecurrence<F>) -> Vec<F> {
    let (order, mut rows) = (column.coefficients.len(), Vec::new());
    let (starts, mut last) = (column.starts().collect::<BTreeMap<_, _>>(), 0);
    for row in 0..1usize << column.log_height {
        if starts.contains_key(&row) {
            last = row;
        }
        let value = match starts[&last].get(row - last) {
            Some(&value) => value,
            None => (0..order).fold(F::ZERO, |sum, i| sum + column.coefficients[i] * rows[row - order + i]),
        };
        rows.push(value);
    }
    rows
}
