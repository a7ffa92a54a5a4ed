//! Rows of tables of several heights as the words that leaves absorb.

use std::ops::Range;

use field::M31;
use gpu_hal::{CircleDomain, Columns, Domain};

use super::compress::BLOCK;
use crate::circle::m31::{LANES, Lanes};
use crate::memory::CpuBuffer;

/// Blocks of a leaf whose columns are all lifted by `lift` levels or more. Leaves that are one row of such a table are
/// in one state after these blocks, as lower tables come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeafStage {
    pub(super) lift: u32,
    pub(super) blocks: Range<usize>,
}

/// Leaf `i` is the rows `i * rows_per_leaf ..` one after the other, each with all columns in order, lower tables
/// lifted.
pub(crate) struct Leaves<'a> {
    columns: Vec<(&'a [M31], u32)>,
    rows_per_leaf: usize,
    log_height: u32,
    /// The most lifted first; the last is not lifted.
    stages: Vec<LeafStage>,
}

impl<'a> Leaves<'a> {
    /// Tables that are checked, of `2^log_height` rows at most; lifted only with one row a leaf.
    pub(crate) fn new(tables: &[Columns<&'a CpuBuffer<M31>>], of: gpu_hal::Leaves) -> Self {
        let gpu_hal::Leaves { rows_per_leaf, log_height, .. } = of;
        let columns = tables.iter().flat_map(|table| {
            table.data.values().chunks_exact(table.height()).map(|column| (column, log_height - table.log_height))
        });
        let columns: Vec<_> = columns.collect();
        let stages = stages(&columns, rows_per_leaf);
        Self { columns, rows_per_leaf, log_height, stages }
    }

    /// How leaves are absorbed.
    pub(super) fn stages(&self) -> &[LeafStage] {
        &self.stages
    }

    /// The row, in tables lifted by `to` levels, of a row of tables lifted by `from`, fewer.
    #[inline(always)]
    pub(super) fn lifted(&self, row: usize, from: u32, to: u32) -> usize {
        CircleDomain::lift_index(row, self.log_height - from, self.log_height - to)
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.words().div_ceil(BLOCK).max(1)
    }

    /// Number of leaves.
    pub(crate) fn count(&self) -> usize {
        (1 << self.log_height) / self.rows_per_leaf
    }

    /// Words of a leaf.
    pub(super) fn words(&self) -> usize {
        self.columns.len() * self.rows_per_leaf
    }

    /// Word `word` of the leaf that is a row of tables lifted by `lift` levels, the column's own lift or less.
    #[inline]
    pub(super) fn value(&self, word: usize, row: usize, lift: u32) -> u32 {
        let (column, of_column) = self.columns[word % self.columns.len()];
        let at = match self.rows_per_leaf {
            1 => self.lifted(row, lift, of_column),
            rows => row * rows + word / self.columns.len(),
        };
        column[at].value()
    }

    /// Word `word` of leaves that are rows `first..first + 16` of tables lifted by `lift` levels, the column's own lift
    /// or less; lanes past the last row mean nothing.
    #[inline(always)]
    pub(super) fn load<V: Lanes>(&self, word: usize, first: usize, lift: u32) -> V {
        if self.rows_per_leaf == 1 {
            let (column, of_column) = self.columns[word];
            if of_column == lift && first + LANES <= column.len() {
                // SAFETY: sixteen elements of the column.
                return unsafe { V::load(column[first..].as_ptr().cast()) };
            }
            let mut lanes = [0; LANES];
            let last = (1 << (self.log_height - lift)) - 1;
            for (lane, value) in lanes.iter_mut().enumerate() {
                *value = column[self.lifted((first + lane) & last, lift, of_column)].value();
            }
            // SAFETY: sixteen words.
            return unsafe { V::load(lanes.as_ptr()) };
        }
        let (row, (column, _)) = (word / self.columns.len(), self.columns[word % self.columns.len()]);
        let (rows, first) = (self.rows_per_leaf, first * self.rows_per_leaf);
        let mut registers = [V::splat(0); 4];
        if rows > registers.len() || first + rows * LANES > column.len() {
            let mut lanes = [0; LANES];
            for (lane, value) in lanes.iter_mut().enumerate() {
                *value = column[(first + lane * rows + row) & (column.len() - 1)].value();
            }
            // SAFETY: sixteen words.
            return unsafe { V::load(lanes.as_ptr()) };
        }
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

/// Cuts the blocks of a leaf where the least lift of the columns so far changes.
fn stages(columns: &[(&[M31], u32)], rows_per_leaf: usize) -> Vec<LeafStage> {
    let blocks = (columns.len() * rows_per_leaf).div_ceil(BLOCK);
    let top = LeafStage { lift: 0, blocks: blocks..blocks.max(1) };
    if rows_per_leaf > 1 {
        return vec![LeafStage { blocks: 0..top.blocks.end, ..top }];
    }
    let mut stages: Vec<LeafStage> = Vec::new();
    for (block, columns) in columns.chunks(BLOCK).enumerate() {
        let least = columns.iter().map(|(_, lift)| *lift).min().unwrap_or(0);
        match stages.last_mut() {
            Some(last) if last.lift <= least => last.blocks.end = block + 1,
            _ => stages.push(LeafStage { lift: least, blocks: block..block + 1 }),
        }
    }
    if stages.last().is_none_or(|last| last.lift > 0) {
        stages.push(top);
    }
    stages
}
