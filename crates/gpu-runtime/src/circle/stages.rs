//! How leaves of tables of several heights are hashed: the part of lower tables is hashed once for each of their rows.

use std::ops::Range;

use gpu_hal::{Leaves, Shape};

/// Words of a block of the hash.
const BLOCK: usize = 16;

/// Consecutive blocks of leaves, hashed in one launch: the leaves that are the same row of all tables so far have one
/// state after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeafStage {
    /// Log2 of these rows; in the last stage, of the rows of the tree.
    pub(super) log_rows: u32,
    pub(super) blocks: Range<usize>,
    /// The tables that the blocks are of.
    pub(super) tables: Range<usize>,
}

impl LeafStage {
    /// Words of a row before the blocks.
    pub(super) fn words_before(&self) -> usize {
        self.blocks.start * BLOCK
    }
}

/// The stages of leaves over tables that have columns. They are cut where blocks begin that have higher tables than the
/// blocks before, if fewer than `2^log_least` rows do not matter, and where blocks would be of more than `slots`
/// tables.
pub(super) fn stages(tables: &[Shape], leaves: Leaves, log_least: u32, slots: usize) -> Vec<LeafStage> {
    let Leaves { log_height, rows_per_leaf, .. } = leaves;
    let words = rows_per_leaf * tables.iter().map(|table| table.width).sum::<usize>();
    let all = LeafStage { log_rows: log_height, blocks: 0..words.div_ceil(BLOCK).max(1), tables: 0..tables.len() };
    if rows_per_leaf > 1 || words == 0 {
        return vec![all];
    }
    let mut stages: Vec<LeafStage> = Vec::new();
    // The first table that has words of the block, and where its words begin.
    let (mut first, mut start) = (0, 0);
    for block in all.blocks.clone() {
        while start + tables[first].width <= block * BLOCK {
            start += tables[first].width;
            first += 1;
        }
        let (mut end, mut covered) = (first, start);
        let mut log_rows = log_least.min(log_height);
        while end < tables.len() && covered < (block + 1) * BLOCK {
            covered += tables[end].width;
            log_rows = log_rows.max(tables[end].log_height);
            end += 1;
        }
        match stages.last_mut() {
            Some(last) if last.log_rows >= log_rows && end - last.tables.start <= slots => {
                (last.blocks.end, last.tables.end) = (block + 1, end);
            }
            last => {
                let log_rows = last.map_or(log_rows, |last| last.log_rows.max(log_rows));
                stages.push(LeafStage { log_rows, blocks: block..block + 1, tables: first..end });
            }
        }
    }
    if stages.last().is_some_and(|last| last.log_rows < log_height) {
        stages.push(LeafStage {
            log_rows: log_height,
            blocks: all.blocks.end..all.blocks.end,
            tables: tables.len()..tables.len(),
        });
    }
    stages
}
