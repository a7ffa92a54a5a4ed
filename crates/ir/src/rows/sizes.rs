//! Sizes that row programs keep to.

/// Most words of a value.
pub const MAX_WORDS: usize = 64;

/// Most entries of a row in a list.
pub const MAX_SITES: usize = 1 << 16;

/// Words of an element of the program's prime field.
pub const FELT_WORDS: usize = 8;
