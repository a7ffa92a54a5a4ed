//! Errors of a statement of the Circle protocol, or of a proof of one.

use circle_proof::VerifyError;
use prover_core::circle::ProveError;

use crate::airs::StatementError;
use crate::error::{Class, Error, SpecificError};
use crate::stage::Stage;

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

impl SpecificError for CircleError {
    fn is_unsatisfied(&self) -> bool {
        matches!(self, Self::Prove(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)))
    }

    fn class(&self) -> Class {
        match self {
            Self::Verify(_) | Self::Prove(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)) => Class::Invalid,
            Self::Trace(error) if matches!(**error, circle_air::TraceError::Wrong(_)) => Class::Invalid,
            // The rest, present and future, is about the request.
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
        match error {
            ProveError::Memory(error) => Self::Memory(error),
            ProveError::Hal(error) => Self::Backend(error),
            ProveError::Cancelled(cancelled) => Self::Cancelled(Stage::Prove(cancelled.phase)),
            error => CircleError::Prove(error).into(),
        }
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

impl From<circle_air::BuildError> for StatementError {
    fn from(error: circle_air::BuildError) -> Self {
        Self::Specific(Box::new(error))
    }
}

impl From<circle_air::LowerError> for StatementError {
    fn from(error: circle_air::LowerError) -> Self {
        Self::Specific(Box::new(error))
    }
}
