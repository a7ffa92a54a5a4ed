//! Errors of a statement of the Goldilocks protocol, or of a proof of one.

use goldilocks_proof::OptionsError;
use goldilocks_verifier::VerifyError;
use gpu_hal::{GoldilocksStark, Protocol as _};
use proof_format::security::NoOptions;
use prover_core::goldilocks::ProveError;

use crate::error::{Class, Error, KindError, errors_of};

/// Why there is no proof, or why one was not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldilocksError {
    /// The file is of the protocol over another extension, or of a protocol of another name.
    #[error(
        "the file is of the protocol `{protocol}` over an extension of degree {degree}; this program verifies `{known}` of \
         degree {known_degree}", known = <GoldilocksStark>::NAME, known_degree = <GoldilocksStark>::DEGREE
    )]
    Extension {
        /// The protocol that the file names.
        protocol: String,
        /// Degree of its extension.
        degree: u64,
    },
    /// A trace does not satisfy its AIR, or does not fit it.
    #[error("the trace does not pass the check:\n{0}")]
    Trace(Box<air::TraceError<GoldilocksStark>>),
    /// The prover gave no proof.
    #[error(transparent)]
    Prove(ProveError),
    /// The options in the file are impossible.
    #[error("the options of the file are impossible: {0}")]
    Options(#[source] OptionsError),
    /// The verifier refused the proof.
    #[error("the proof is not valid: {0}")]
    Verify(#[source] Box<VerifyError>),
}

impl KindError for GoldilocksError {
    fn is_unsatisfied(&self) -> bool {
        matches!(self, Self::Prove(ProveError::Unsatisfied(_)))
    }

    fn class(&self) -> Class {
        match self {
            Self::Options(_) | Self::Verify(_) | Self::Prove(ProveError::Unsatisfied(_)) => Class::Invalid,
            Self::Trace(error) if matches!(**error, air::TraceError::Wrong(_)) => Class::Invalid,
            // The rest, present and future, is about the request.
            Self::Extension { .. } | Self::Trace(_) | Self::Prove(_) => Class::Input,
        }
    }
}

errors_of!(GoldilocksError, air::TraceError<GoldilocksStark>);

impl From<NoOptions<OptionsError>> for Error {
    fn from(error: NoOptions<OptionsError>) -> Self {
        match error {
            NoOptions::OutOfReach(out) => out.into(),
            NoOptions::Impossible(error) => ProveError::from(error).into(),
        }
    }
}
