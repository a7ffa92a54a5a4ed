//! The parts of a proof that have a tree each.

use core::fmt;

/// A part of a proof that is opened at the queries. It is one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The main columns.
    Main,
    /// The auxiliary columns.
    Aux,
    /// The composition parts.
    Composition,
    /// An FRI layer, from 1.
    Fri(usize),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main => f.write_str("main columns"),
            Self::Aux => f.write_str("auxiliary columns"),
            Self::Composition => f.write_str("composition"),
            Self::Fri(layer) => write!(f, "FRI layer {layer}"),
        }
    }
}
