//! The limits of options.

/// Most folds.
pub const MAX_FOLDS: usize = 32;
/// Log2 of the most rows of a leaf, so of the factor of a fold.
pub const MAX_STEP: u32 = 4;
/// Log2 of the most coefficients of the last layer.
pub const MAX_LOG_LAST: u32 = 10;
