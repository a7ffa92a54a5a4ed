//! Why there is no proof.

use air::AirError;
use goldilocks_proof::OptionsError;
use gpu_hal::HalError;

use crate::memory::MemoryError;
use crate::observer::Cancelled;

/// Why [`super::Prover`] gave no proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The AIR contradicts itself.
    #[error("the AIR cannot be recorded: {0}")]
    Air(#[from] AirError),
    /// The options do not fit each other or the AIR.
    #[error("the options cannot be used: {0}")]
    Options(#[from] OptionsError),
    /// The trace is not of the AIR's shape.
    #[error(
        "a trace of {width} columns and 2^{log_height} rows, the AIR has {expected_width} and 2^{expected_log_height}"
    )]
    TraceShape {
        /// Columns given.
        width: usize,
        /// Log2 of the rows given.
        log_height: u32,
        /// Columns of the AIR.
        expected_width: usize,
        /// Log2 of the rows of the AIR.
        expected_log_height: u32,
    },
    /// The device cannot make the trace of this AIR.
    #[error("the trace of `{air}` cannot be made on the device: {reason}; give the prover a trace")]
    NoTraceProgram {
        /// The AIR.
        air: String,
        /// Why.
        reason: &'static str,
    },
    /// The host columns are not of the AIR's shape.
    #[error(
        "host column {index} has {rows} rows, the trace {expected}; {given} columns were given, {declared} declared"
    )]
    HostColumns {
        /// Column, in the order of declaration.
        index: usize,
        /// Its rows.
        rows: usize,
        /// Rows of the trace.
        expected: usize,
        /// Columns that the AIR gave.
        given: usize,
        /// Columns that it declared.
        declared: usize,
    },
    /// The memory that the proof needs is not there, or not free.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The trace does not satisfy the constraints: the composition polynomial is not of the declared degree, or does
    /// not belong to the trace. `air::check_trace` names the constraint and the row.
    #[error(
        "the trace does not satisfy the AIR's constraints ({0}); air::check_trace names the constraint and the row"
    )]
    Unsatisfied(&'static str),
    /// The proof-of-work search found no nonce among 2^64.
    #[error("no 64-bit nonce has {0} bits of proof of work: lower the grinding factor")]
    Grinding(u32),
    /// The system gave no random bytes for the seed of masks.
    #[error("the system gave no random bytes: {0}")]
    Entropy(String),
    /// The observer stopped the proof.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The backend failed.
    #[error(transparent)]
    Hal(#[from] HalError),
}
