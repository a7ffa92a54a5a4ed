//! Errors of client proofs.

#[cfg(feature = "client-prove")]
use cairo::verify::VerifyError;
use client::RefusedError;

use crate::error::{Class, Error, KindError};
#[cfg(feature = "client-prove")]
use crate::stage::Stage;

/// Why there is no client proof, or why one was not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// There is no proof.
    #[cfg(feature = "client-prove")]
    #[error(transparent)]
    Prove(client::Error),
    /// The verifier refused the proof.
    #[error("the proof is not valid: {0}")]
    Verify(RefusedError),
}

impl KindError for ClientError {
    fn class(&self) -> Class {
        match self {
            #[cfg(feature = "client-prove")]
            Self::Prove(
                client::Error::Auxiliary(_)
                | client::Error::Digest
                | client::Error::CircuitRefuses(_)
                | client::Error::Root { .. }
                | client::Error::Refused(_),
            ) => Class::Device,
            #[cfg(feature = "client-prove")]
            Self::Prove(_) => Class::Input,
            Self::Verify(error) if error.is_of_input() => Class::Input,
            Self::Verify(_) => Class::Invalid,
        }
    }

    #[cfg(feature = "client-prove")]
    fn is_wide_node(&self) -> bool {
        let is_wide = |error: &circle_proof::VerifyError| matches!(error, circle_proof::VerifyError::WideNode(_));
        match self {
            Self::Prove(client::Error::Auxiliary(error)) => {
                matches!(&**error, VerifyError::Proof(error) if is_wide(error))
            }
            Self::Prove(client::Error::Refused(error)) => error.is_wide_node(),
            _ => false,
        }
    }
}

#[cfg(feature = "client-prove")]
impl From<client::Error> for Error {
    fn from(error: client::Error) -> Self {
        match error {
            client::Error::Run(error) => error.into(),
            client::Error::Cairo(error) => error.into(),
            client::Error::Prove(circuits::Error::Prove(error)) => error.into(),
            client::Error::Cancelled(cancelled) => Self::Cancelled(Stage::Prove(cancelled.phase)),
            error => ClientError::Prove(error).into(),
        }
    }
}

impl From<RefusedError> for Error {
    fn from(error: RefusedError) -> Self {
        match error {
            RefusedError::Policy(error) => Self::Policy(error),
            error => ClientError::Verify(error).into(),
        }
    }
}
