//! An instance of the builtins `add_mod` and `mul_mod`, which is a gate of a circuit: the modulus, a pointer to a table
//! of values, a pointer to the offsets of the gate's values in it, and how many gates are left.

/// Words of a number, the lowest first.
pub(super) const WORDS: usize = 4;
/// Bits of a word.
pub(super) const WORD_BITS: usize = 96;
/// Cells of an instance. The first are the modulus.
pub(super) const INSTANCE: usize = 7;
/// The cell of the table.
pub(super) const TABLE: usize = 4;
/// The cell of the offsets.
pub(super) const OFFSETS: usize = 5;
/// The cell that says how many gates are left.
pub(super) const LEFT: usize = 6;
/// Offsets of a gate: of its two operands, then of its result.
pub(super) const GATE: usize = 3;
