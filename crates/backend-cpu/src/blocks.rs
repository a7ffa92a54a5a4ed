//! Cutting a computation over rows into tasks.

use crate::goldilocks::lanes::MAX_LANES;
use crate::simd::SimdLevel;

/// Rows of a task, as a logarithm: at most `log_most`, so few that every thread has several tasks, but at least `log_least`
/// (all of them if there are not that many).
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
