//! Columns as data: a program from which a device makes them by itself.

use std::fmt;

use field::M31;
use gpu_hal::{CircleStark, ConstraintProgram, LinearRecurrence};

/// How a device makes the main columns of one component: from a few columns that take little to write down, by programs
/// that are evaluated at every row.
#[derive(Debug)]
pub struct TableProgram {
    /// The columns that come first, one each.
    pub sources: Vec<SourceColumn>,
    /// How the columns follow from them.
    pub columns: ColumnProgram,
}

/// How columns follow from sources. Group `i` of a program is the one column of source `i`; outputs are base values
/// without parameters.
#[derive(Debug)]
pub enum ColumnProgram {
    /// The sources are the columns.
    Sources,
    /// The outputs are the columns in order, every row by itself ([`gpu_hal::StarkBackend::map`]).
    Map(ConstraintProgram<CircleStark>),
    /// Row 1 is the root of a binary tree, rows `2i` and `2i + 1` are the children of row `i`
    /// ([`gpu_hal::StarkBackend::tree_map`]).
    Tree {
        /// The program of the upper half of the rows, and of row 0: the columns in order, then the values that a row
        /// hands up to its parent.
        leaf: ConstraintProgram<CircleStark>,
        /// The program of the other rows, with the same outputs; its last group has the values that the two children
        /// hand up.
        node: ConstraintProgram<CircleStark>,
        /// Number of columns.
        width: usize,
    },
}

impl TableProgram {
    /// Number of columns that it makes.
    pub fn width(&self) -> usize {
        match &self.columns {
            ColumnProgram::Sources => self.sources.len(),
            ColumnProgram::Map(program) => program.outputs().len(),
            ColumnProgram::Tree { width, .. } => *width,
        }
    }
}

/// A column that others are made from. One that is lower than the component is periodic: row `i` reads its row
/// `i mod height`.
pub enum SourceColumn {
    /// Made by the device.
    Recurrence(LinearRecurrence<M31>),
    /// Computed by the host when it is uploaded.
    Host {
        /// Log2 of its rows.
        log_height: u32,
        /// Its values, in the order of the rows.
        values: Box<dyn Fn() -> Vec<M31> + Send + Sync>,
    },
}

impl SourceColumn {
    /// Log2 of its rows.
    pub fn log_height(&self) -> u32 {
        match self {
            Self::Recurrence(recurrence) => recurrence.log_height,
            Self::Host { log_height, .. } => *log_height,
        }
    }
}

impl fmt::Debug for SourceColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recurrence(recurrence) => f.debug_tuple("Recurrence").field(recurrence).finish(),
            Self::Host { log_height, .. } => {
                f.debug_struct("Host").field("log_height", log_height).finish_non_exhaustive()
            }
        }
    }
}
