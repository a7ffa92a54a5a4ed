//! The inputs of the kernels of a program.

use super::encoded::Encoded;
use crate::text::Dialect;

/// The operation that a program is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A combination of its outputs on a domain, in storage order.
    Constraints,
    /// Its outputs in row order.
    Rows,
    /// Its outputs at the rows of a level of a binary tree, with the values that go up from them.
    Nodes,
}

impl Purpose {
    /// The entry point, of the interpreter as of a generated kernel.
    pub const fn entry(self) -> &'static str {
        match self {
            Self::Constraints => "evaluate_constraints",
            Self::Rows => "evaluate_rows",
            Self::Nodes => "evaluate_nodes",
        }
    }
}

/// A program with all that a kernel for it is made of and run with.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The instructions.
    pub encoded: &'a Encoded,
    /// The number of the buffer of every table.
    pub slots: &'a [u64],
    /// [`LOAD_WORDS`] words for every load, as the interpreter has them.
    pub loads: &'a [u64],
    /// [`GROUP_WORDS`] words for every group, as the interpreter has them.
    pub groups: &'a [u64],
    /// Bytes of a base element.
    pub element: u64,
    /// The machine.
    pub dialect: Dialect,
}

/// Words of a load, as in the kernels: where its column is; log2 of the height, and in the upper half the row offset.
pub const LOAD_WORDS: usize = 2;
/// Words of a group, as in the kernels: its accumulator; where its multiplier is; where its column is; how often an
/// index is halved for it.
pub const GROUP_WORDS: usize = 4;
