//! Where a run of rows finds a column at a row offset.

use field::{Goldilocks, bit_reverse};
use gpu_hal::Columns;

use crate::memory::CpuBuffer;

/// Input tables of a program, read in aligned runs of `2^log_run` consecutive rows.
pub(crate) struct Loads<'a> {
    tables: Vec<(&'a [Goldilocks], u32)>,
    log_run: u32,
    order: Order,
}

enum Order {
    /// Row order: offsets count rows.
    Row,
    /// Storage order on `2^log_points` points, the first of a domain of `2^log_size`.
    Storage {
        log_size: u32,
        log_points: u32,
        log_trace: u32,
        /// The bit reversals of `0..2^log_run`.
        reversed: Vec<u32>,
    },
}

impl<'a> Loads<'a> {
    /// Tables in row order.
    pub(crate) fn rows(tables: &[Columns<&'a CpuBuffer<Goldilocks>>], log_run: u32) -> Self {
        Self { tables: slices(tables), log_run, order: Order::Row }
    }

    /// Tables in storage order; a row offset is a step of `2^(log_size - log_trace)` on the domain of `2^log_size` points. Runs
    /// are of its first `2^log_points` points, `log_trace <= log_points`.
    pub(crate) fn storage(
        tables: &[Columns<&'a CpuBuffer<Goldilocks>>],
        log_run: u32,
        log_size: u32,
        log_points: u32,
        log_trace: u32,
    ) -> Self {
        let reversed = (0..1 << log_run).map(|i| bit_reverse(i, log_run) as u32).collect();
        Self { tables: slices(tables), log_run, order: Order::Storage { log_size, log_points, log_trace, reversed } }
    }

    /// Rows in a run.
    pub(crate) fn run_length(&self) -> usize {
        1 << self.log_run
    }

    /// The values that run `run` sees in a base column at a row offset: a place in the table, or `None` if they were copied to
    /// `slot`, which has the length of a run.
    pub(crate) fn fetch(
        &self,
        table: usize,
        column: usize,
        offset: i32,
        run: usize,
        slot: &mut [u64],
    ) -> Option<&'a [Goldilocks]> {
        let (values, log_height) = self.tables[table];
        let column = &values[column << log_height..][..1 << log_height];
        let length = self.run_length();
        match &self.order {
            Order::Row => {
                let mask = column.len() as i64 - 1;
                // The height divides the number of rows, so one wrap does for both.
                let start = (((run << self.log_run) as i64 + i64::from(offset)) & mask) as usize;
                if start + length <= column.len() {
                    return Some(&column[start..start + length]);
                }
                for (v, value) in slot.iter_mut().enumerate() {
                    *value = column[(start + v) & mask as usize].value();
                }
                None
            }
            Order::Storage { log_size, log_points, log_trace, reversed } => {
                // Storage index `run * 2^log_run + v` has the natural index `br(v) * 2^high + br(run)`. A shift adds to the low
                // part; its carry and its own high part turn `br(v)`.
                let high = log_points - self.log_run;
                let rows = i64::from(offset) & ((1 << log_trace) - 1);
                let shift = (rows as usize) << (log_points - log_trace);
                let sum = bit_reverse(run, high) + (shift & ((1 << high) - 1));
                let turn = ((shift >> high) + (sum >> high)) & (length - 1);
                let run = bit_reverse(sum & ((1 << high) - 1), high);
                // A lower table is its lift: `2^repeat` neighbours in storage share a value.
                let repeat = log_size - log_height;
                if repeat >= self.log_run {
                    slot.fill(column[run >> (repeat - self.log_run)].value());
                    return None;
                }
                let source = &column[run << (self.log_run - repeat)..][..length >> repeat];
                if repeat == 0 && turn == 0 {
                    return Some(source);
                }
                for (value, natural) in slot.iter_mut().zip(reversed) {
                    let from = reversed[(*natural as usize + turn) & (length - 1)];
                    *value = source[from as usize >> repeat].value();
                }
                None
            }
        }
    }
}

fn slices<'a>(tables: &[Columns<&'a CpuBuffer<Goldilocks>>]) -> Vec<(&'a [Goldilocks], u32)> {
    tables.iter().map(|table| (table.data.values(), table.log_height)).collect()
}
