//! How large a statement may be.

/// Bounds of drawn statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Log2 of the most rows; at least 3.
    pub max_log_rows: u32,
    /// Most columns that are drawn one by one; at least 1. Arguments add their own.
    pub max_columns: usize,
}

impl Bounds {
    /// Log2 of the fewest rows.
    pub const MIN_LOG_ROWS: u32 = 3;
}

/// 2^3 to 2^8 rows and 1 to 6 columns: a proof takes milliseconds.
impl Default for Bounds {
    fn default() -> Self {
        Self { max_log_rows: 8, max_columns: 6 }
    }
}
