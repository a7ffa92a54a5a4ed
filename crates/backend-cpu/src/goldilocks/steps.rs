//! Programs on lanes of Goldilocks, and rows in storage order on a coset.

use field::{Goldilocks, bit_reverse};

/// Steps between rows in storage order on `2^log_points` points, the first of a domain of `2^log_size`; a row offset of
/// 1 is a step of `2^(log_size - log_trace)` on the whole domain.
pub struct Steps {
    log_size: u32,
    log_points: u32,
    log_trace: u32,
    /// The bit reversals of the rows of a run.
    reversed: Vec<u32>,
}

impl Steps {
    /// For runs of `2^log_run` points; `log_trace <= log_points`.
    pub(crate) fn new(log_run: u32, log_size: u32, log_points: u32, log_trace: u32) -> Self {
        let reversed = (0..1 << log_run).map(|i| bit_reverse(i, log_run) as u32).collect();
        Self { log_size, log_points, log_trace, reversed }
    }
}

/// [`crate::CpuProtocol`]'s `fetch`.
pub(super) fn fetch<'a>(
    steps: &Steps,
    log_run: u32,
    column: &'a [Goldilocks],
    offset: i32,
    run: usize,
    slot: &mut [u64],
) -> Option<&'a [Goldilocks]> {
    // Storage index `run * 2^log_run + v` has the natural index `br(v) * 2^high + br(run)`. A shift adds to the low
    // part; its carry and its own high part turn `br(v)`.
    let Steps { log_size, log_points, log_trace, reversed } = steps;
    let length = 1 << log_run;
    let high = log_points - log_run;
    let rows = i64::from(offset) & ((1 << log_trace) - 1);
    let shift = (rows as usize) << (log_points - log_trace);
    let sum = bit_reverse(run, high) + (shift & ((1 << high) - 1));
    let turn = ((shift >> high) + (sum >> high)) & (length - 1);
    let run = bit_reverse(sum & ((1 << high) - 1), high);
    // A lower table is its lift: `2^repeat` neighbours in storage share a value.
    let repeat = log_size - column.len().ilog2();
    if repeat >= log_run {
        slot.fill(column[run >> (repeat - log_run)].value());
        return None;
    }
    let source = &column[run << (log_run - repeat)..][..length >> repeat];
    if repeat == 0 && turn == 0 {
        return Some(source);
    }
    for (value, natural) in slot.iter_mut().zip(reversed) {
        let from = reversed[(*natural as usize + turn) & (length - 1)];
        *value = source[from as usize >> repeat].value();
    }
    None
}
