//! The changed value.

use std::fmt;

use crate::draw::Draw;

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
        /// The component; 0 where there are none.
        component: usize,
        /// Its number among the columns of its kind in the component.
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
    /// A public input that no constraint reads: the trace still is one of the statement's, but a proof of the statement
    /// from before is none of this one.
    Public {
        /// Its number among the public inputs.
        index: usize,
    },
}

impl Change {
    /// A word for the changed part.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Cell { .. } => "cell",
            Self::Multiplicity { .. } => "multiplicity",
            Self::Boundary { .. } => "boundary",
            Self::Known { .. } => "known column",
            Self::Public { .. } => "public input",
        }
    }

    /// Whether the trace changes, and not the claim about it.
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
            Self::Boundary { component, index } => write!(f, "component {component}, value of boundary {index}"),
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
    /// The change.
    pub what: Change,
    /// The statement with its trace, after the change.
    pub statement: S,
}

/// One way to change a statement: nothing if it has no such thing.
pub(crate) type Kind<S> = fn(&S, &mut Draw) -> Option<Violation<S>>;

/// How often a change is drawn until it makes the statement false: some cells are free, some values are read by nobody.
const TRIES: usize = 32;

/// A change of each kind that makes the statement false, or another one.
pub(crate) fn violations<S>(
    statement: &S,
    seed: u64,
    kinds: &[Kind<S>],
    is_false: &dyn Fn(&S) -> bool,
) -> Vec<Violation<S>> {
    let draw = &mut Draw::new(seed ^ 0x5eed);
    let counts = |one: &Violation<S>| matches!(one.what, Change::Public { .. }) || is_false(&one.statement);
    kinds.iter().filter_map(|kind| (0..TRIES).map_while(|_| kind(statement, draw)).find(counts)).collect()
}

/// The statement with one thing changed.
pub(crate) fn changed<S: Clone>(statement: &S, what: Change, change: impl FnOnce(&mut S)) -> Option<Violation<S>> {
    let mut statement = statement.clone();
    change(&mut statement);
    Some(Violation { what, statement })
}
