//! The notes of a rehearsal about each operation.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::{Combination, ConstraintProgram, HashFn, Operation, Protocol, Shape};

/// An operation that was called in a rehearsal, as far as its work depends on the arguments.
#[derive(Clone, Debug)]
pub enum Step<P: Protocol> {
    /// Any operation whose least work is to read and to write so many elements on the device, or nothing that grows with a table.
    Moves {
        /// Which.
        operation: Operation,
        /// Base elements read.
        read: usize,
        /// Base elements written.
        written: usize,
    },
    /// [`crate::StarkBackend::upload`] of a table.
    Upload(Shape),
    /// [`crate::StarkBackend::download`] of so many rows.
    Download {
        /// The table.
        table: Shape,
        /// Rows that come to the host.
        rows: usize,
    },
    /// [`crate::StarkBackend::ntt`] of a table.
    Ntt(Shape),
    /// [`crate::StarkBackend::lde`].
    Lde(Extension),
    /// [`crate::StarkBackend::upload_lde`].
    UploadLde(Extension),
    /// [`crate::StarkBackend::merkle`].
    Merkle {
        /// The tables.
        tables: Vec<Shape>,
        /// Rows of a leaf.
        rows_per_leaf: usize,
        /// Log2 of the leaves.
        log_leaves: u32,
        /// The hash function.
        hash: HashFn,
    },
    /// A request of [`crate::StarkBackend::running`].
    Running {
        /// The program.
        program: Arc<ConstraintProgram<P>>,
        /// Log2 of the rows.
        log_height: u32,
        /// Extension columns built.
        columns: usize,
    },
    /// [`crate::StarkBackend::recurrence`].
    Recurrence {
        /// Coefficients of the recurrence.
        order: usize,
        /// Log2 of the rows.
        log_height: u32,
    },
    /// [`crate::StarkBackend::map`].
    Map {
        /// The program.
        program: Arc<ConstraintProgram<P>>,
        /// The tables read.
        tables: Vec<Shape>,
        /// Log2 of the rows.
        log_height: u32,
        /// Base columns built.
        outputs: usize,
    },
    /// [`crate::StarkBackend::tree_map`].
    TreeMap {
        /// The program of the leaves.
        leaf: Arc<ConstraintProgram<P>>,
        /// The program of the other rows.
        node: Arc<ConstraintProgram<P>>,
        /// Log2 of the rows.
        log_height: u32,
    },
    /// A request of [`crate::StarkBackend::constraint_eval`].
    ConstraintEval {
        /// The program.
        program: Arc<ConstraintProgram<P>>,
        /// Log2 of the points.
        log_eval: u32,
        /// The terms that are added up; their weights are of no meaning.
        combination: Combination<P>,
    },
    /// A request of [`crate::StarkBackend::eval_at`].
    EvalAt {
        /// The table.
        table: Shape,
        /// Log2 of the points of its domain.
        log_size: u32,
        /// Points outside of it.
        points: usize,
    },
    /// [`crate::StarkBackend::deep_quotient`].
    DeepQuotient {
        /// The part of each table that is read: the columns that have a weight, and the rows that the points have.
        read: Vec<Shape>,
        /// Log2 of the points.
        log_size: u32,
        /// Terms.
        terms: usize,
        /// Weights of all terms.
        weights: usize,
    },
    /// [`crate::StarkBackend::fri_fold`] of a layer of so many rows.
    FriFold {
        /// Log2 of the rows of the layer.
        log_size: u32,
    },
    /// [`crate::StarkBackend::grind`].
    Grind {
        /// The hash function.
        hash: HashFn,
    },
}

/// A table and what it is extended to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The table that is extended.
    pub table: Shape,
    /// Log2 of the rows afterwards.
    pub log_to: u32,
    /// Whether the table holds values, not coefficients.
    pub from_values: bool,
}

impl<P: Protocol> Step<P> {
    /// The operation.
    pub const fn operation(&self) -> Operation {
        match self {
            Self::Moves { operation, .. } => *operation,
            Self::Upload(_) => Operation::Upload,
            Self::Download { .. } => Operation::Download,
            Self::Ntt(_) => Operation::Ntt,
            Self::Lde(_) => Operation::Lde,
            Self::UploadLde(_) => Operation::UploadLde,
            Self::Merkle { .. } => Operation::Merkle,
            Self::Running { .. } => Operation::Running,
            Self::Recurrence { .. } => Operation::Recurrence,
            Self::Map { .. } => Operation::Map,
            Self::TreeMap { .. } => Operation::TreeMap,
            Self::ConstraintEval { .. } => Operation::ConstraintEval,
            Self::EvalAt { .. } => Operation::EvalAt,
            Self::DeepQuotient { .. } => Operation::DeepQuotient,
            Self::FriFold { .. } => Operation::FriFold,
            Self::Grind { .. } => Operation::Grind,
        }
    }
}

/// Where in a rehearsal something was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The name that [`super::Rehearsed::enter`] was told last.
    pub part: &'static str,
    /// The operation.
    pub operation: Operation,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.operation)
    }
}
