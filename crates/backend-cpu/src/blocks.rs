//! Cutting a computation over rows into tasks.

use std::borrow::Cow;

use field::Field;

use crate::lanes::MAX_LANES;
use crate::simd::SimdLevel;

/// Rows of a task, as a logarithm: at most `log_most`, so few that every thread has several tasks, but at least
/// `log_least` (all of them if there are not that many).
pub(crate) fn log_block(log_rows: u32, log_least: u32, log_most: u32) -> u32 {
    let log_tasks = (4 * rayon::current_num_threads()).next_power_of_two().ilog2();
    log_rows.saturating_sub(log_tasks).clamp(log_least, log_most.max(log_least)).min(log_rows)
}

/// The widest level whose registers are not longer than a run.
pub(crate) fn level_for(level: SimdLevel, log_run: u32) -> SimdLevel {
    if (1 << log_run) < MAX_LANES { SimdLevel::Portable } else { level }
}

/// The columns of a table cut into blocks of rows: `result[block][column]`.
pub(crate) fn blocks_mut<F>(values: &mut [F], log_height: u32, log_block: u32) -> Vec<Vec<&mut [F]>> {
    let mut blocks: Vec<Vec<&mut [F]>> = Vec::new();
    blocks.resize_with(1 << (log_height - log_block), Vec::new);
    for column in values.chunks_exact_mut(1 << log_height) {
        for (block, rows) in blocks.iter_mut().zip(column.chunks_exact_mut(1 << log_block)) {
            block.push(rows);
        }
    }
    blocks
}

/// Makes the columns of a table of `2^log_height` rows: where they lie, or, where that is less than a register, in
/// columns of a register each, of which the first rows are kept.
pub(crate) fn whole_registers<F: Field, R>(
    values: &mut [F],
    log_height: u32,
    make: impl FnOnce(&mut [F], u32) -> R,
) -> R {
    let log_least = MAX_LANES.ilog2();
    if log_height >= log_least {
        return make(values, log_height);
    }
    let mut columns = vec![F::ZERO; (values.len() >> log_height) << log_least];
    let result = make(&mut columns, log_least);
    for (column, made) in values.chunks_exact_mut(1 << log_height).zip(columns.chunks_exact(MAX_LANES)) {
        column.copy_from_slice(&made[..column.len()]);
    }
    result
}

/// A column of at least `rows` rows, zeros behind its own.
pub(crate) fn at_least<F: Field>(rows: usize, column: &[F]) -> Cow<'_, [F]> {
    if column.len() >= rows {
        return Cow::Borrowed(column);
    }
    let mut longer = column.to_vec();
    longer.resize(rows, F::ZERO);
    Cow::Owned(longer)
}
