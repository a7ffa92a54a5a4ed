//! Faults of a row.

use core::fmt;

use crate::program::NodeId;

/// A fault that a row of a [`crate::RowProgram`] finds: all backends say it in the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFault<'a> {
    /// A source entry has an element that is no word.
    Input {
        /// Value of the entry.
        k: u32,
        /// The element.
        element: u64,
    },
    /// A row beyond a table is read.
    Beyond {
        /// Number of the table.
        table: u32,
        /// The row that is read.
        index: u32,
        /// Rows of the table.
        height: usize,
    },
    /// An element that is read is no word.
    Read {
        /// Number of the table.
        table: u32,
        /// Column of the table.
        column: u32,
        /// Row of the table.
        index: u32,
        /// The element.
        element: u64,
    },
    /// An operand of an operation on felts is not below the modulus.
    Felt(NodeId),
    /// An element that is to be a word is none.
    Word(u64),
    /// A word of an entry of a list is no element.
    Entry {
        /// Number of the list.
        list: u32,
        /// The call site.
        site: u32,
        /// The word of the entry.
        word: u32,
        /// The word.
        value: u32,
    },
    /// A place beyond a counter.
    Place {
        /// Number of the counter.
        counter: u32,
        /// The place.
        place: u32,
        /// Places of the counter.
        places: usize,
    },
    /// An assertion that does not hold, as [`crate::RowProgram::claims`] has it.
    Claim(&'a str),
}

impl fmt::Display for RowFault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { k, element } => write!(f, "value {k} of the source entry is {element}: no word of 32 bits"),
            Self::Beyond { table, index, height } => {
                write!(f, "reads row {index} of table {table}, which has {height}")
            }
            Self::Read { table, column, index, element } => {
                write!(f, "column {column}, row {index} of table {table} is {element}: no word of 32 bits")
            }
            Self::Felt(node) => {
                write!(f, "an operand of the felt operation of node {} is not below the modulus", node.0)
            }
            Self::Word(element) => write!(f, "the element {element} is no word of 32 bits"),
            Self::Entry { list, site, word, value } => {
                write!(f, "word {word} for site {site} of list {list} is {value}: no canonical element")
            }
            Self::Place { counter, place, places } => {
                write!(f, "counts at place {place} of counter {counter}, which has {places}")
            }
            Self::Claim(claim) => write!(f, "'{claim}' does not hold"),
        }
    }
}
