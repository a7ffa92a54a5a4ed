//! Where a run of rows finds a column at a row offset.

use field::circle::neighbour_index;
use field::{M31, bit_reverse};
use gpu_hal::Columns;

use crate::memory::CpuBuffer;

/// Input tables of a program, read in aligned runs of `2^log_run` consecutive rows.
pub(super) struct Loads<'a> {
    tables: Vec<(&'a [M31], u32)>,
    log_run: u32,
    order: Order,
}

enum Order {
    /// Row order: offsets count rows; a lower table is periodic.
    Row,
    /// Storage order on the first `2^log_points` points of a domain.
    Storage { log_points: u32, log_trace: u32 },
}

impl<'a> Loads<'a> {
    /// Tables in row order.
    pub(super) fn rows(tables: &[Columns<&'a CpuBuffer<M31>>], log_run: u32) -> Self {
        Self { tables: slices(tables), log_run, order: Order::Row }
    }

    /// Tables in storage order, read at the first `2^log_points` points, more than the trace has rows.
    pub(super) fn storage(
        tables: &[Columns<&'a CpuBuffer<M31>>],
        log_run: u32,
        log_points: u32,
        log_trace: u32,
    ) -> Self {
        Self { tables: slices(tables), log_run, order: Order::Storage { log_points, log_trace } }
    }

    /// Rows in a run.
    pub(super) fn run_length(&self) -> usize {
        1 << self.log_run
    }

    /// The values that run `run` sees in a base column at a row offset: a place in the table, or `slot`, which has the length of a
    /// run.
    pub(super) fn fetch(&self, table: usize, column: usize, offset: i32, run: usize, slot: &mut [u32]) -> *const u32 {
        let (values, log_height) = self.tables[table];
        let column = &values[column << log_height..][..1 << log_height];
        let length = self.run_length();
        let first = run << self.log_run;
        match self.order {
            Order::Row => {
                let mask = column.len() as i64 - 1;
                // The height divides the number of rows, so one wrap does for both.
                let start = ((first as i64 + i64::from(offset)) & mask) as usize;
                if start + length <= column.len() {
                    return column[start..].as_ptr().cast();
                }
                for (v, value) in slot.iter_mut().enumerate() {
                    *value = column[(start + v) & mask as usize].value();
                }
            }
            Order::Storage { .. } if offset == 0 => return column[first..first + length].as_ptr().cast(),
            Order::Storage { log_points, log_trace } => {
                // Points and conjugates alternate, and run in opposite directions (circle.md, section 1). Where the steps of the run's
                // first pair need no carry into the bits of the run, those of all its pairs have the same places in another run.
                let half_bits = log_points - 1;
                let high = log_points - self.log_run;
                let steps = (i64::from(offset) << (log_points - log_trace - 1)) & ((1 << half_bits) - 1);
                let low = bit_reverse(run, high) as i64;
                let (forth, back) = (low + steps, low - steps + (1 << half_bits));
                let stays = |moved: i64| (moved & ((1 << half_bits) - 1)) >> high == 0;
                if stays(forth) && stays(back) {
                    let source = |moved: i64| {
                        let run = bit_reverse((moved & ((1 << high) - 1)) as usize, high);
                        &column[run << self.log_run..][..length]
                    };
                    let pairs = source(forth).chunks_exact(2).zip(source(back).chunks_exact(2));
                    for (pair, (forth, back)) in slot.chunks_exact_mut(2).zip(pairs) {
                        (pair[0], pair[1]) = (forth[0].value(), back[1].value());
                    }
                } else {
                    for (v, value) in slot.iter_mut().enumerate() {
                        let at = neighbour_index(first + v, i64::from(offset), log_trace, log_points);
                        *value = column[at].value();
                    }
                }
            }
        }
        slot.as_ptr()
    }
}

fn slices<'a>(tables: &[Columns<&'a CpuBuffer<M31>>]) -> Vec<(&'a [M31], u32)> {
    tables.iter().map(|table| (table.data.values(), table.log_height)).collect()
}
