//! Errors of a Cairo program, or of a proof of one.

use cairo::file::FileError;
use cairo::prove;
use cairo::verify::{Mismatch, VerifyError};
use cairo_run::{InputError, Problem, Refusal};

use crate::error::{Class, Error, KindError};
use crate::stage::Stage;

/// Why there is no proof of a Cairo program, or why one was not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CairoError {
    /// A program cannot be read, failed, or made a run that no proof can state.
    #[error(transparent)]
    Input(InputError),
    /// The preprocessed columns that were asked for do not hold the run.
    #[error(transparent)]
    Refusal(Refusal),
    /// There is no proof of the run.
    #[error(transparent)]
    Prove(prove::Error),
    /// The proof cannot be read, or not be written.
    #[error(transparent)]
    File(FileError),
    /// The proof is about another statement than expected.
    #[error(transparent)]
    Expectation(Mismatch),
    /// The verifier refused the proof.
    #[error("the proof is not valid: {0}")]
    Verify(#[source] VerifyError),
    /// The policy does not take the proof, which may be valid.
    #[error("refused by policy: {0}")]
    Refused(#[source] VerifyError),
}

impl KindError for CairoError {
    fn is_wide_node(&self) -> bool {
        matches!(self, Self::Verify(VerifyError::Proof(circle_proof::VerifyError::WideNode(_))))
    }

    fn printed(&self) -> Option<&str> {
        match self {
            Self::Input(error) => Some(&*error.printed).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Prove(prove::Error::PreprocessedRoot { .. }) => Class::Device,
            // A proof, or a wish, that this program has nothing for.
            Self::File(FileError::CairoSerde | FileError::Builtins) => Class::Input,
            // The caller's wish, not the file's.
            Self::Verify(VerifyError::Suite(_)) => Class::Input,
            Self::Input(_) | Self::Refusal(_) | Self::Prove(_) => Class::Input,
            Self::Refused(_) | Self::File(FileError::OtherSuite { .. }) => Class::Refused,
            Self::File(_) | Self::Expectation(_) | Self::Verify(_) => Class::Invalid,
        }
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        if matches!(*error.problem, Problem::Cancelled) {
            return Self::Cancelled(Stage::Trace);
        }
        CairoError::Input(error).into()
    }
}

impl From<Refusal> for Error {
    fn from(error: Refusal) -> Self {
        CairoError::Refusal(error).into()
    }
}

impl From<prove::Error> for Error {
    fn from(error: prove::Error) -> Self {
        match error {
            prove::Error::Prove(error) => error.into(),
            error => CairoError::Prove(error).into(),
        }
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Policy(error) => Self::Policy(error),
            error => CairoError::File(error).into(),
        }
    }
}

impl From<VerifyError> for Error {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Policy(error) => Self::Policy(error),
            VerifyError::Expectation(error) => CairoError::Expectation(error).into(),
            error if error.is_policy() => CairoError::Refused(error).into(),
            error => CairoError::Verify(error).into(),
        }
    }
}
