//! Errors of a statement of the Circle protocol, or of a proof of one.

use circle_proof::VerifyError;
use prover_core::circle::ProveError;

use crate::error::{Class, KindError, errors_of};
use crate::statements::statement_error::StatementError;

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

impl KindError for CircleError {
    fn is_wide_node(&self) -> bool {
        matches!(self, Self::Verify(error) if matches!(**error, VerifyError::WideNode(_)))
    }

    fn is_unsatisfied(&self) -> bool {
        matches!(self, Self::Prove(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)))
    }

    fn class(&self) -> Class {
        match self {
            Self::Verify(error) if matches!(**error, VerifyError::NoVerifier(_)) => Class::Input,
            Self::Verify(_) | Self::Prove(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)) => Class::Invalid,
            Self::Trace(error) if matches!(**error, circle_air::TraceError::Wrong(_)) => Class::Invalid,
            // The rest, present and future, is about the request.
            Self::Trace(_) | Self::Prove(_) => Class::Input,
        }
    }
}

errors_of!(CircleError, circle_air::TraceError);

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
