//! The shape of a statement.

/// Log2 of the most rows: the largest subgroup of Goldilocks has 2^32 elements, and rows are counted by `usize`.
pub(crate) const MAX_LOG_ROWS: u32 = if usize::BITS > 32 { 32 } else { 31 };

/// The shape of an AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// `m`: main columns, over the base field; at least 1.
    pub main_columns: usize,
    /// `a`: auxiliary columns, over the extension.
    pub aux_columns: usize,
    /// `R`: number of consecutive rows that a constraint may read; at least 1. It is part of the proof's shape, used or
    /// not.
    pub frame_rows: usize,
    /// Number of random challenges drawn after the main columns are committed.
    pub challenges: usize,
    /// `P`: the composition has degree below `P n` and is committed in `P` parts; at least 1.
    pub composition_parts: usize,
}
