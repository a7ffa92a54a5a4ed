//! Columns, and how they run.

/// A column of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// Main column.
    Main(usize),
    /// Auxiliary column.
    Aux(usize),
}

/// Whether row `i` of a running column includes its own ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scan {
    /// Over the rows `j <= i`.
    Inclusive,
    /// Over the rows `j < i`: row 0 is 1 (product) or 0 (sum).
    Exclusive,
}
