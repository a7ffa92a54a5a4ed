//! Why there is no Circle proof.

use circle_air::{ClaimedSumError, ConfigError, HostColumnsError, StatementError};
use circle_proof::positions::UnsortedError;
use circle_proof::rounds::InteractionError;
use circle_proof::{OptionsError, WideNode};
use gpu_hal::HalError;

use crate::memory::MemoryError;
use crate::observer::Cancelled;

/// A fault that the maker of a trace finds. The prover's error about it is [`ProveError::Trace`].
pub trait TraceFault: std::error::Error + Send + Sync + 'static {}

impl<E: TraceFault> From<E> for ProveError {
    fn from(fault: E) -> Self {
        Self::Trace(Box::new(fault))
    }
}

/// Why [`crate::circle::Prover`] gave no proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The options do not fit each other or the statement.
    #[error("the options cannot be used: {0}")]
    Options(#[from] OptionsError),
    /// The statement cannot be proven with these options.
    #[error("the statement cannot be proven with these options: {0}")]
    Config(#[from] ConfigError),
    /// The statement contradicts itself.
    #[error("the statement cannot be recorded: {0}")]
    Statement(#[from] StatementError),
    /// The statement gave preprocessed columns of another shape than it declares.
    #[error("preprocessed column {column} has {rows} rows, declared are {expected}; {given} columns were given")]
    Preprocessed {
        /// Number of the column.
        column: usize,
        /// Its rows; 0 if it is missing.
        rows: usize,
        /// Rows that the statement declares; 0 if it declares no such column.
        expected: usize,
        /// Columns given.
        given: usize,
    },
    /// The trace is not of the statement's shape.
    #[error(
        "component {component} was given {columns} columns, the longest of {rows} rows; it has {width} of 2^{log_size}"
    )]
    TraceShape {
        /// Number of the component.
        component: usize,
        /// Columns given.
        columns: usize,
        /// Rows of the longest of them.
        rows: usize,
        /// Main columns of the component.
        width: usize,
        /// Log2 of its rows.
        log_size: u32,
    },
    /// A trace for another number of components.
    #[error("traces of {given} components were given, the statement has {expected}")]
    TraceCount {
        /// Given.
        given: usize,
        /// Expected.
        expected: usize,
    },
    /// The device cannot make the trace of this statement.
    #[error(
        "the trace of `{statement}` cannot be made on the device: it declares no trace program, or the backend lacks an operation of it; \
         give the prover a trace"
    )]
    NoTraceProgram {
        /// The statement.
        statement: String,
    },
    /// The trace maker on the device cannot make it.
    #[error("the trace cannot be made: {0}")]
    Trace(Box<dyn std::error::Error + Send + Sync>),
    /// The statement does not give its interaction columns.
    #[error(transparent)]
    Given(#[from] HostColumnsError),
    /// The shared preprocessed columns are of another statement, of other options, or on another backend.
    #[error(
        "the preprocessed columns that were handed over are not those of the statement `{statement}` with these options on this backend: \
         take those of a prover with a trace maker of the same columns, blowup, lifting and backend"
    )]
    ForeignPreprocessed {
        /// The statement.
        statement: String,
    },
    /// The sums of the lookups, or other claims, are not those that the statement requires: the trace looks up a tuple
    /// that no table has.
    #[error("the lookups of the trace do not add up: {0}")]
    ClaimedSums(#[from] ClaimedSumError),
    /// The transcript was used against its order, which is a defect.
    #[error(transparent)]
    Transcript(#[from] InteractionError),
    /// The trace does not satisfy the constraints.
    #[error("the trace does not satisfy the constraints ({0})")]
    Unsatisfied(&'static str),
    /// No proof can be opened at these queries (trap 8).
    #[error(transparent)]
    Unsorted(#[from] UnsortedError),
    /// The memory that the proof needs is not there, or not free.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A node that would be opened is no digest for verifiers.
    #[error(transparent)]
    WideNode(#[from] WideNode),
    /// No nonce does the work.
    #[error("no nonce has {0} bits of proof of work: lower the number")]
    Grinding(u32),
    /// The drawn parameter belongs to no out-of-domain point, which happens with probability 2^-123.
    #[error("the transcript leads to no out-of-domain point: change the statement or the options")]
    Degenerate,
    /// The observer stopped the proof.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The backend failed.
    #[error(transparent)]
    Hal(#[from] HalError),
}
