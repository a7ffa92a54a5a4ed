//! Why an AIR or a trace of Plonky3 is refused.

use circle_air::LowerError;

/// An AIR that cannot be proven as it is, or values that do not fit it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum P3Error {
    /// The number of rows.
    #[error("{rows} rows: a power of two and at least 4 are needed")]
    Rows {
        /// As given.
        rows: usize,
    },
    /// The number of public values.
    #[error("{given} public values given, the AIR has {needed}")]
    PublicValues {
        /// As given.
        given: usize,
        /// What `num_public_values` says.
        needed: usize,
    },
    /// A preprocessed trace of another shape than the AIR says.
    #[error(
        "the preprocessed trace is {given_rows} rows of {given_width} columns: {rows} rows of {width} columns are needed"
    )]
    Preprocessed {
        /// Rows of `preprocessed_trace`, 0 without one.
        given_rows: usize,
        /// Its columns.
        given_width: usize,
        /// Rows of the trace.
        rows: usize,
        /// What `preprocessed_width` says.
        width: usize,
    },
    /// Not as many periodic columns as the AIR says.
    #[error("periodic_columns gives {given} columns, num_periodic_columns says {needed}")]
    PeriodicColumns {
        /// Given.
        given: usize,
        /// Said.
        needed: usize,
    },
    /// A periodic column whose length does not divide the trace.
    #[error("periodic column {column} has {length} values: a power of two up to the {rows} rows is needed")]
    PeriodicLength {
        /// The column.
        column: usize,
        /// Its values.
        length: usize,
        /// Rows of the trace.
        rows: usize,
    },
    /// A constraint in which selectors meet.
    #[error(
        "constraint {constraint} adds terms with different selectors on {row}: Plonky3 fixes where a selector is zero, not its value \
         elsewhere; assert the terms one by one, or put the selector in a preprocessed column"
    )]
    Selectors {
        /// Number of the constraint, in the order of the assertions.
        constraint: usize,
        /// On which rows.
        row: &'static str,
    },
    /// A selector of a power that nothing can be proven of.
    #[error("constraint {constraint} has a selector to a power of 2^16 or more: multiply by a selector once")]
    SelectorPower {
        /// Number of the constraint, in the order of the assertions.
        constraint: usize,
    },
    /// Constraints over the extension.
    #[error("{constraints} constraints are over an extension field: only constraints over the base field are recorded")]
    Extension {
        /// How many.
        constraints: usize,
    },
    /// A column or value that the AIR does not have.
    #[error("constraint {constraint} reads {what} {index}, the AIR has {count}")]
    Variable {
        /// Number of the constraint, in the order of the assertions.
        constraint: usize,
        /// The kind of column or value.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A row beyond the window of Plonky3.
    #[error("constraint {constraint} reads row offset {offset}: this row and the next can be read")]
    Offset {
        /// Number of the constraint, in the order of the assertions.
        constraint: usize,
        /// The offset.
        offset: usize,
    },
    /// A public boundary cell that does not exist.
    #[error("public_boundary_io {cell} names {what} {index}, the AIR has {count}")]
    BoundaryCell {
        /// Its number.
        cell: usize,
        /// Column or public value.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// An AIR that leaves out constraints.
    #[error(
        "the AIR assumes a trace of bits that its constraints do not enforce: prove it under a commitment to bits, or constrain every cell"
    )]
    BooleanTrace,
    /// A trace of another shape.
    #[error("the trace has {given} elements in rows of {given_width}: {rows} rows of {width} columns are needed")]
    Trace {
        /// Elements.
        given: usize,
        /// Columns.
        given_width: usize,
        /// Rows that the AIR has.
        rows: usize,
        /// Columns that the AIR has.
        width: usize,
    },
    /// A constraint of too high a degree for the Circle protocol.
    #[error(
        "constraint {constraint} has degree {degree}, a selector counting 1: the Circle protocol proves up to {most}; commit a product in a \
         column of its own, or prove over Goldilocks"
    )]
    CircleDegree {
        /// Number of the constraint, in the order of the assertions.
        constraint: usize,
        /// Its degree.
        degree: u64,
        /// Largest degree.
        most: u64,
    },
    /// No statement of the Circle protocol.
    #[error(transparent)]
    Circle(#[from] LowerError),
}
