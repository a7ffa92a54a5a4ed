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
    /// Weighted sums of its outputs over the corners of a hypercube.
    Sums,
    /// The same of columns whose first variable is bound on the way.
    BoundSums,
}

impl Purpose {
    /// The entry point, of the interpreter as of a generated kernel.
    pub const fn entry(self) -> &'static str {
        match self {
            Self::Constraints => "evaluate_constraints",
            Self::Rows => "evaluate_rows",
            Self::Nodes => "evaluate_nodes",
            Self::Sums => "evaluate_sums",
            Self::BoundSums => "evaluate_bound_sums",
        }
    }

    /// Whether a thread sums up outputs over many corners. The row offset of a load, 0 or 1, is the value of the first
    /// variable then, and the words of the load say where its column begins there.
    pub const fn is_of_sums(self) -> bool {
        matches!(self, Self::Sums | Self::BoundSums)
    }

    /// The macros of its buffers and of the fields of its parameter block, and the type of that block.
    pub(super) const fn frame(self) -> [&'static str; 3] {
        match self {
            Self::Constraints => ["CONSTRAINT_BUFFERS", "PROGRAM_FIELDS", "ProgramParams"],
            Self::Rows => ["ROW_BUFFERS", "PROGRAM_FIELDS", "ProgramParams"],
            Self::Nodes => ["NODE_BUFFERS", "NODE_FIELDS", "NodeParams"],
            Self::Sums => ["SUM_BUFFERS", "SUM_FIELDS", "SumRowsParams"],
            Self::BoundSums => ["BOUND_SUM_BUFFERS", "SUM_FIELDS", "SumRowsParams"],
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

/// Words of a load, as in the kernels: where its column is; log2 of the height, and in the upper half the row offset
/// or, of a column that is bound, [`bound_place`].
pub const LOAD_WORDS: usize = 2;
/// Words of a group, as in the kernels: its accumulator; where its multiplier is; where its column is; how often an
/// index is halved for it.
pub const GROUP_WORDS: usize = 4;

/// The place of a load of an extension column among the columns that are bound, at the value of the first variable that
/// is its row offset.
pub const fn bound_place(column: usize, offset: i32) -> u64 {
    2 * column as u64 + offset as u64
}
