//! Where a run of rows finds a column at a row offset.

use gpu_hal::{Columns, Multilinear};

use crate::cpu::{Cpu, CpuProtocol};
use crate::memory::CpuBuffer;

/// Input tables of a program, read in aligned runs of `2^log_run` consecutive rows.
pub(crate) struct Loads<'a, P: CpuProtocol> {
    /// Elements and log2 of the rows.
    tables: Vec<(&'a [P::Base], u32)>,
    log_run: u32,
    order: Order<P::Steps>,
}

enum Order<S> {
    /// Row order: offsets count rows, a lower table is periodic.
    Row,
    /// Storage order on the first points of a domain.
    Storage(S),
    /// Halves of rows: the first row of each table, and the rows of a half, of which an offset counts.
    Halves(Vec<usize>, usize),
}

impl<'a, P: CpuProtocol> Loads<'a, P> {
    /// Tables in row order. A run may have more rows than the tables.
    pub(crate) fn rows(tables: &[Columns<&'a CpuBuffer<P::Base>>], log_run: u32) -> Self {
        Self::of(slices(tables), log_run)
    }

    /// Tables in row order: the elements of each, and log2 of its rows.
    pub(crate) fn of(tables: Vec<(&'a [P::Base], u32)>, log_run: u32) -> Self {
        Self { tables, log_run, order: Order::Row }
    }

    /// Tables in storage order.
    pub(crate) fn storage(tables: &[Columns<&'a CpuBuffer<P::Base>>], log_run: u32, steps: P::Steps) -> Self {
        Self { tables: slices(tables), log_run, order: Order::Storage(steps) }
    }

    /// The halves of tables, which have as many variables each; a run may have more rows than a half.
    pub(crate) fn halves(values: &[Multilinear<'a, Cpu<P>>], log_run: u32) -> Self {
        let tables = values.iter().map(|values| (values.table.data.values(), values.table.log_height)).collect();
        let half = values.first().map_or(1, |values| 1 << (values.variables - 1));
        let firsts = values.iter().map(|values| values.first).collect();
        Self { tables, log_run, order: Order::Halves(firsts, half) }
    }

    /// Rows in a run.
    pub(crate) fn run_length(&self) -> usize {
        1 << self.log_run
    }

    /// The values that run `run` sees in a base column at a row offset: a part of the table, or `None` if they were
    /// copied to `slot`, which has the length of a run.
    pub(crate) fn fetch(
        &self,
        table: usize,
        column: usize,
        offset: i32,
        run: usize,
        slot: &mut [P::Word],
    ) -> Option<&'a [P::Base]> {
        let (values, log_height) = self.tables[table];
        let column = &values[column << log_height..][..1 << log_height];
        match &self.order {
            Order::Row => {
                let mask = column.len() as i64 - 1;
                // The height divides the number of rows, so one wrap does for both.
                let start = (((run << self.log_run) as i64 + i64::from(offset)) & mask) as usize;
                if start + self.run_length() <= column.len() {
                    return Some(&column[start..start + self.run_length()]);
                }
                for (v, value) in slot.iter_mut().enumerate() {
                    *value = P::word(column[(start + v) & mask as usize]);
                }
                None
            }
            Order::Halves(firsts, half) => {
                let half_rows = &column[firsts[table] + offset as usize * half..][..*half];
                let start = run << self.log_run;
                if let Some(rows) = half_rows.get(start..start + self.run_length()) {
                    return Some(rows);
                }
                // Rows behind the half have a value, too, which nobody counts.
                slot.iter_mut().zip(half_rows.iter().cycle()).for_each(|(value, of_row)| *value = P::word(*of_row));
                None
            }
            Order::Storage(steps) => P::fetch(steps, self.log_run, column, offset, run, slot),
        }
    }
}

fn slices<'a, F: field::Field>(tables: &[Columns<&'a CpuBuffer<F>>]) -> Vec<(&'a [F], u32)> {
    tables.iter().map(|table| (table.data.values(), table.log_height)).collect()
}
