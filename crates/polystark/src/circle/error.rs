//! What can go wrong with a statement of the Circle protocol, or with a proof of one.

use circle_proof::VerifyError;
use prover_core::MemoryError;
use prover_core::circle::ProveError;

use crate::error::{Class, Error, missing_of};

/// Why there is no proof, or why one was not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CircleError {
    /// A trace does not satisfy its AIR, or does not fit it.
    #[error("the trace does not pass the check:\n{0}")]
    Trace(Box<circle_air::TraceError>),
    /// The prover gave no proof.
    #[error(transparent)]
    Prove(ProveError),
    /// The verifier refused the proof.
    #[error("the proof is not valid: {0}")]
    Verify(#[source] Box<VerifyError>),
}

impl CircleError {
    /// Memory that a proof takes and that there is, in bytes, if that is too little.
    pub(crate) fn missing_memory(&self) -> Option<(u64, u64)> {
        match self {
            Self::Prove(ProveError::Memory(error)) => missing_of(error),
            _ => None,
        }
    }

    /// What this means to a caller.
    pub fn class(&self) -> Class {
        match self {
            Self::Verify(_) | Self::Prove(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)) => Class::Invalid,
            Self::Trace(error) if matches!(**error, circle_air::TraceError::Wrong(_)) => Class::Invalid,
            // Others hold the memory for now; what takes more than there is, is too much to ask for.
            Self::Prove(ProveError::Memory(MemoryError::Occupied { .. }) | ProveError::Hal(_)) => Class::Device,
            // The rest, present and future, is about what was asked for.
            Self::Trace(_) | Self::Prove(_) => Class::Input,
        }
    }
}

impl From<circle_air::TraceError> for Error {
    fn from(error: circle_air::TraceError) -> Self {
        CircleError::Trace(Box::new(error)).into()
    }
}

impl From<ProveError> for Error {
    fn from(error: ProveError) -> Self {
        CircleError::Prove(error).into()
    }
}

impl From<VerifyError> for Error {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Policy(error) => Self::Policy(error),
            error => CircleError::Verify(Box::new(error)).into(),
        }
    }
}
