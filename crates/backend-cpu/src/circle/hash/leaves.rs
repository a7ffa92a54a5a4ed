//! Rows of tables of several heights as the words that leaves absorb.

use field::M31;
use gpu_hal::{CircleDomain, Columns, Domain};

use crate::circle::m31::{LANES, Lanes};
use crate::memory::CpuBuffer;

/// Leaf `i` is the rows `i * rows_per_leaf ..` one after the other, each with all columns in order, lower tables lifted.
pub(crate) struct Leaves<'a> {
    columns: Vec<(&'a [M31], u32)>,
    rows_per_leaf: usize,
    log_height: u32,
}

impl<'a> Leaves<'a> {
    /// Tables that are checked, of `2^log_height` rows at most; lifted only with one row a leaf.
    pub(crate) fn new(tables: &[Columns<&'a CpuBuffer<M31>>], rows_per_leaf: usize, log_height: u32) -> Self {
        let columns = tables.iter().flat_map(|table| {
            table.data.values().chunks_exact(table.height()).map(|column| (column, log_height - table.log_height))
        });
        Self { columns: columns.collect(), rows_per_leaf, log_height }
    }

    /// Number of leaves.
    pub(crate) fn count(&self) -> usize {
        (1 << self.log_height) / self.rows_per_leaf
    }

    /// Words of a leaf.
    pub(super) fn words(&self) -> usize {
        self.columns.len() * self.rows_per_leaf
    }

    /// Word `word` of leaves `leaf..leaf + 16`; lanes past the last leaf mean nothing.
    #[inline(always)]
    pub(super) fn load<V: Lanes>(&self, word: usize, leaf: usize) -> V {
        if self.rows_per_leaf == 1 {
            let (column, lift) = self.columns[word];
            if lift == 0 && leaf + LANES <= column.len() {
                // SAFETY: sixteen elements of the column.
                return unsafe { V::load(column[leaf..].as_ptr().cast()) };
            }
            let mut lanes = [0; LANES];
            let log_table = self.log_height - lift;
            for (lane, value) in lanes.iter_mut().enumerate() {
                let row = (leaf + lane) & ((1 << self.log_height) - 1);
                *value = column[CircleDomain::lift_index(row, self.log_height, log_table)].value();
            }
            // SAFETY: sixteen words.
            return unsafe { V::load(lanes.as_ptr()) };
        }
        let (row, (column, _)) = (word / self.columns.len(), self.columns[word % self.columns.len()]);
        let (rows, first) = (self.rows_per_leaf, leaf * self.rows_per_leaf);
        if first + rows * LANES > column.len() {
            let mut lanes = [0; LANES];
            for (lane, value) in lanes.iter_mut().enumerate() {
                *value = column[(first + lane * rows + row) & (column.len() - 1)].value();
            }
            // SAFETY: sixteen words.
            return unsafe { V::load(lanes.as_ptr()) };
        }
        let mut registers = [V::splat(0); 4];
        for (at, register) in registers.iter_mut().enumerate().take(rows) {
            // SAFETY: `rows` registers of the column.
            *register = unsafe { V::load(column[first + at * LANES..].as_ptr().cast()) };
        }
        let [a, b, c, d] = registers;
        let (even, odd) = a.deinterleave(b);
        if rows == 2 {
            return if row == 0 { even } else { odd };
        }
        let (even2, odd2) = c.deinterleave(d);
        let (low, high) = if row % 2 == 0 { even.deinterleave(even2) } else { odd.deinterleave(odd2) };
        if row < 2 { low } else { high }
    }
}
