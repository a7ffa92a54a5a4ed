//! Why there is no statement about a run.

use cairo_run::Refusal;

use crate::verify::VerifyError;

/// A fault of a run that is to be proven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The run has no public memory that a proof can state.
    #[error(transparent)]
    Public(#[from] Refusal),
    /// The salt is no number of the field.
    #[error("the salt {0} is not below 2^31 - 1: take another")]
    Salt(u32),
    /// A proof about the run would be refused.
    #[error("no proof of the run would be accepted: {0}")]
    Refused(#[from] Box<VerifyError>),
}
