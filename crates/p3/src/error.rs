//! Why an AIR or a trace of Plonky3 is refused.

use std::fmt;

/// The part of an AIR that an error is about, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A constraint, in the order of the assertions.
    Constraint(usize),
    /// An interaction, in the order of p3-lookup: the local ones, the global ones, the exclusive ones.
    Interaction(usize),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constraint(number) => write!(f, "constraint {number}"),
            Self::Interaction(number) => write!(f, "interaction {number}"),
        }
    }
}

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
        /// The number from `num_public_values`.
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
        /// The number from `preprocessed_width`.
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
    #[error("{origin} has a selector to a power of 2^16 or more: multiply by a selector once")]
    SelectorPower {
        /// Its place in the AIR.
        origin: Origin,
    },
    /// Constraints over the extension.
    #[error("{constraints} constraints are over an extension field: only constraints over the base field are recorded")]
    Extension {
        /// How many.
        constraints: usize,
    },
    /// A column or value that the AIR does not have.
    #[error("{origin} reads {what} {index}, the AIR has {count}")]
    Variable {
        /// Its place in the AIR.
        origin: Origin,
        /// The kind of column or value.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A row beyond the window of Plonky3.
    #[error("{origin} reads row offset {offset}: this row and the next can be read")]
    Offset {
        /// Its place in the AIR.
        origin: Origin,
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
    /// A constraint or an interaction of too high a degree for the Circle protocol.
    #[error(
        "{origin} has degree {degree}, a selector counting 1: the Circle protocol proves up to {most}; commit a product in a \
         column of its own, or prove over Goldilocks"
    )]
    CircleDegree {
        /// Its place in the AIR.
        origin: Origin,
        /// Its degree.
        degree: u64,
        /// Largest degree.
        most: u64,
    },
    /// An interaction with selectors.
    #[error(
        "interaction {interaction} reads a selector: Plonky3 fixes where a selector is zero, not its value elsewhere; put it in a preprocessed \
         column"
    )]
    InteractionSelector {
        /// Its number, in the order of p3-lookup.
        interaction: usize,
    },
    /// Messages of different widths on one bus, of which a shorter one could pass for a longer one.
    #[error("{bus} carries messages of {expected} and of {given} elements: all messages of a bus need as many")]
    BusWidth {
        /// The bus.
        bus: String,
        /// Elements of its first message.
        expected: usize,
        /// Elements of another.
        given: usize,
    },
    /// Enough lookups that a multiplicity could wrap around the characteristic.
    #[error(
        "the interactions of all rows count up to {count}, the field has characteristic {characteristic}: use fewer rows, or bounds of \
         counts that are closer"
    )]
    Count {
        /// The sum of bound times rows.
        count: u128,
        /// The field's characteristic.
        characteristic: u64,
    },
    /// Reads of tables by a position.
    #[error("the AIR has {reads} indexed reads and {tables} indexed tables: only messages on buses are recorded")]
    Indexed {
        /// Reads.
        reads: usize,
        /// Tables.
        tables: usize,
    },
    /// Interactions in a statement of one AIR over Circle.
    #[error("the AIR has interactions: make its statement by P3Air::tables, of all AIRs that share its buses")]
    Interactions,
    /// No statement of the Circle protocol.
    #[cfg(feature = "circle")]
    #[error(transparent)]
    Circle(#[from] circle_air::LowerError),
}
