//! The shape of a table.

/// The table that an AIR asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}
