//! How the memory of compiled code is laid out.

/// Elements of a line: the lanes of a register.
pub(crate) const LANES: usize = 8;
/// Bytes of a line.
pub(crate) const LINE_BYTES: usize = 8 * LANES;
/// Registers for values, numbered from zero on.
pub(crate) const VALUE_REGISTERS: u8 = 16;
/// Coordinates of a sum: as many as there are registers for.
pub(crate) const MAX_DEGREE: usize = 3;
/// Words before the entries of the pool. The first is `2^SPLIT_BITS - 1`.
pub(crate) const HEAD_WORDS: usize = 2;
/// An output is multiplied in two parts: its lowest bits, so many, and the others.
pub(crate) const SPLIT_BITS: u32 = 40;
/// Bits of the first word of a factor, as multiplications of 52 bits take them.
pub(crate) const WEIGHT_BITS: u32 = 52;
/// Words of a coordinate of a weight: it, and `2^SPLIT_BITS` times it, each in two.
pub(crate) const WEIGHT_WORDS: usize = 4;

/// The sizes of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Coordinates of a sum.
    pub(crate) degree: usize,
    /// Rows of a run.
    pub(crate) rows: usize,
    /// Values that cross parts of the code, at most at a time.
    pub(crate) slots: usize,
}

impl Layout {
    /// Lines of the values that cross, for eight rows: an odd number, so that one of them does not lie in few sets of a
    /// cache for all rows.
    pub(crate) fn slot_stride(&self) -> usize {
        self.slots | 1
    }

    /// Lines of a column: one more than it has, so that all columns do not lie in the same sets of a cache.
    pub(crate) fn column_stride(rows: usize) -> usize {
        (rows / LANES) | 1
    }
}
