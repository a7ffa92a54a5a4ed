//! The common part of leaves: leaves that are one row of all lower tables are in one state after these.

use std::ops::Range;

use super::compress::{BLOCK, State, compress, first_state};
use super::leaves::{LeafStage, Leaves};
use crate::circle::m31::{LANES, Lanes};

/// Registers that absorb columns together, so that a column is read in runs of 512 bytes.
pub(super) const TILE: usize = 8;
/// Leaves of a tile.
pub(super) const TILE_LEAVES: usize = TILE * LANES;

/// The states of consecutive rows of tables that are lifted by `lift` levels.
pub(super) struct LiftedStates {
    lift: u32,
    /// The first row.
    first: usize,
    /// By 16 rows: the words of each, row by row.
    groups: Vec<[[u32; LANES]; 8]>,
}

impl LiftedStates {
    /// The states after some stages, the most lifted first, of the rows that a range of leaves is. `None` after no
    /// stage.
    #[inline(always)]
    pub(super) fn after<V: Lanes>(leaves: &Leaves<'_>, stages: &[LeafStage], range: Range<usize>) -> Option<Self> {
        let mut below: Option<Self> = None;
        for stage in stages {
            // Rows of even leaves are even, rows of odd leaves are odd.
            let first = leaves.lifted(range.start, 0, stage.lift) & !1;
            let rows = (leaves.lifted(range.end - 1, 0, stage.lift) | 1) + 1 - first;
            let mut groups = vec![[[0; LANES]; 8]; rows.div_ceil(LANES)];
            for (tile, groups) in groups.chunks_mut(TILE).enumerate() {
                let first = first + tile * TILE * LANES;
                let states = absorbed::<V>(leaves, below.as_ref(), stage, first, groups.len());
                for (state, group) in states.iter().zip(groups) {
                    for (word, lanes) in state.iter().zip(group) {
                        // SAFETY: sixteen words.
                        unsafe { word.store(lanes.as_mut_ptr()) };
                    }
                }
            }
            below = Some(Self { lift: stage.lift, first, groups });
        }
        below
    }

    /// The states of rows `row..row + 16` of tables that are lifted by `lift` levels, fewer than these states. Lanes
    /// past the last row mean nothing.
    #[inline(always)]
    pub(super) fn load<V: Lanes>(&self, leaves: &Leaves<'_>, row: usize, lift: u32) -> State<V> {
        let mut words = [[0; LANES]; 8];
        for lane in 0..LANES {
            let at = leaves.lifted(row + lane, lift, self.lift).saturating_sub(self.first);
            let Some(group) = self.groups.get(at / LANES) else { continue };
            for (words, group) in words.iter_mut().zip(group) {
                words[lane] = group[at % LANES];
            }
        }
        // SAFETY: sixteen words each.
        words.map(|lanes| unsafe { V::load(lanes.as_ptr()) })
    }
}

/// The states of groups of 16 rows from `first` on, of tables of the stage's lift, after its blocks and the blocks of
/// the stages below.
#[inline(always)]
pub(super) fn absorbed<V: Lanes>(
    leaves: &Leaves<'_>,
    below: Option<&LiftedStates>,
    stage: &LeafStage,
    first: usize,
    groups: usize,
) -> [State<V>; TILE] {
    let mut states = [first_state::<V>(); TILE];
    if let Some(below) = below {
        for (group, state) in states[..groups].iter_mut().enumerate() {
            *state = below.load(leaves, first + group * LANES, stage.lift);
        }
    }
    let words = leaves.words();
    for block in stage.blocks.clone() {
        let start = block * BLOCK;
        let end = (start + BLOCK).min(words);
        let is_last = block + 1 == leaves.blocks();
        for (group, state) in states[..groups].iter_mut().enumerate() {
            let mut message = [V::splat(0); BLOCK];
            for (word, message) in (start..end).zip(&mut message) {
                *message = leaves.load(word, first + group * LANES, stage.lift);
            }
            *state = compress(state, &message, 4 * end as u64, is_last);
        }
    }
    states
}
