//! What is changed.

use std::fmt;

/// The smallest change that makes a statement or its trace false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// One cell of a column that a constraint fixes.
    Cell {
        /// The component; 0 where there are none.
        component: usize,
        /// The main column.
        column: usize,
        /// The row.
        row: usize,
    },
    /// How often a value of a table is looked up.
    Multiplicity {
        /// The component; 0 where there are none.
        component: usize,
        /// The main column.
        column: usize,
        /// The row.
        row: usize,
    },
    /// The value of a boundary, which is a public input too.
    Boundary {
        /// Its number.
        index: usize,
    },
    /// A value of a column that prover and verifier both know.
    Known {
        /// The component; 0 where there are none.
        component: usize,
        /// Its number.
        index: usize,
        /// The row.
        row: usize,
    },
    /// A public input that no constraint reads: the trace still is one of the statement's, but a proof of the statement from before
    /// is none of this one.
    Public {
        /// Its number among those.
        index: usize,
    },
}

impl Change {
    /// A word for what is changed.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Cell { .. } => "cell",
            Self::Multiplicity { .. } => "multiplicity",
            Self::Boundary { .. } => "boundary",
            Self::Known { .. } => "known column",
            Self::Public { .. } => "public input",
        }
    }

    /// Whether it is the trace that changes, and not what is claimed of it.
    pub fn is_of_trace(&self) -> bool {
        matches!(self, Self::Cell { .. } | Self::Multiplicity { .. })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cell { component, column, row } => write!(f, "component {component}, column {column}, row {row}"),
            Self::Multiplicity { component, column, row } => {
                write!(f, "component {component}, multiplicity of row {row} in column {column}")
            }
            Self::Boundary { index } => write!(f, "value of boundary {index}"),
            Self::Known { component, index, row } => {
                write!(f, "component {component}, known column {index}, row {row}")
            }
            Self::Public { index } => write!(f, "public input {index} that no constraint reads"),
        }
    }
}

/// A statement with one thing changed.
#[derive(Clone, Debug)]
pub struct Violation<S> {
    /// What.
    pub what: Change,
    /// The statement with its trace, after the change.
    pub statement: S,
}
