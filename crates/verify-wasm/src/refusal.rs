//! Why a file is refused, in the words of the command line.

use alloc::string::String;
use alloc::vec::Vec;

use goldilocks_proof::OptionsError;
use proof_format::{DecodeError, DecodeErrorKind, PolicyError};

/// Why a file is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The policy does not take the proof. It may be valid.
    #[error("refused by policy: {0}")]
    Policy(PolicyError),
    /// The bytes are no file.
    #[error("the file cannot be read: {0}")]
    File(DecodeError),
    /// A protocol that is not known.
    #[error(
        "the file is of the protocol `{protocol}` over an extension of degree {degree}; this program verifies `{known}` of degree {known_degree}"
    )]
    Protocol {
        /// The protocol.
        protocol: String,
        /// Degree of its extension.
        degree: u64,
        /// The protocol that is known.
        known: &'static str,
        /// Degree of its extension.
        known_degree: usize,
    },
    /// The channel that is asked for is none that a proof of the file's protocol could have.
    #[error("the channel: {0}")]
    Channel(String),
    /// A transcript seed other than the default one, which alone binds the statement: in hexadecimal digits.
    #[error("the transcript seed is {0}, expected: the default")]
    Seed(String),
    /// An AIR that is not known.
    #[error(
        "the file is about the AIR `{name}`, which this program does not know: verify it with the program of whoever wrote that AIR; \
         this one knows: {}", known.join(", ")
    )]
    ForeignAir {
        /// The AIR that the file names.
        name: String,
        /// The known ones.
        known: Vec<&'static str>,
    },
    /// The AIR has no such statement.
    #[error("the statement of the file cannot be rebuilt: {0}")]
    Statement(String),
    /// The public inputs are not the statement's.
    #[error("the public inputs of the file are not those of the statement: {0}")]
    PublicInputs(String),
    /// The options are impossible.
    #[error("the options of the file are impossible: {0}")]
    Options(OptionsError),
    /// The proof in the file is no encoding of one.
    #[error("the proof cannot be decoded: {0}")]
    Proof(DecodeError),
    /// The verifier of Goldilocks refuses the proof.
    #[error("the proof is not valid: {0}")]
    Goldilocks(goldilocks_verifier::VerifyError),
    /// There is no verifier for the channel on this kind of machine. The proof may be valid.
    #[cfg(feature = "circle")]
    #[error(transparent)]
    NoVerifier(circle_proof::VerifyError),
    /// The verifier of Circle refuses the proof.
    #[cfg(feature = "circle")]
    #[error("the proof is not valid: {0}")]
    Circle(circle_proof::VerifyError),
    /// A file of a batch of GKR without its columns.
    #[cfg(feature = "circle")]
    #[error("the file is about columns, which it does not have: give their elements, too, four bytes each")]
    NoColumns,
    /// The columns of a batch of GKR are none of its trees.
    #[cfg(feature = "circle")]
    #[error("the columns: {0}")]
    Columns(String),
    /// The proof of a batch of GKR is refused.
    #[cfg(feature = "circle")]
    #[error("the proof is not valid: {0}")]
    Gkr(String),
    /// A client proof of Starknet without its statement.
    #[cfg(feature = "client")]
    #[error(
        "the file is a client proof of Starknet, which does not say its statement: give its facts or its output \
         preimage, too"
    )]
    NoStatement,
    /// The statement that a client proof shall have is no list of felts.
    #[cfg(feature = "client")]
    #[error("the facts or the preimage: {0}")]
    Felts(String),
    /// The verifier of client proofs refuses the proof.
    #[cfg(feature = "client")]
    #[error("the proof is not valid: {0}")]
    Client(client::RefusedError),
}

/// The meaning of a refusal for the sender of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It proves nothing.
    Invalid,
    /// It is not for this program.
    Input,
    /// The policy does not take it. It may be valid.
    Refused,
}

impl Class {
    /// The exit code of the command line, and its name.
    pub fn code(self) -> (u8, &'static str) {
        match self {
            Self::Invalid => (1, "invalid"),
            Self::Input => (2, "usage"),
            Self::Refused => (4, "refused by policy"),
        }
    }
}

impl Refusal {
    /// The class of this refusal.
    pub fn class(&self) -> Class {
        match self {
            Self::Policy(_) => Class::Refused,
            Self::Protocol { .. } | Self::ForeignAir { .. } | Self::Channel(_) => Class::Input,
            #[cfg(feature = "circle")]
            Self::NoVerifier(_) | Self::NoColumns | Self::Columns(_) => Class::Input,
            #[cfg(feature = "client")]
            Self::NoStatement | Self::Felts(_) => Class::Input,
            #[cfg(feature = "client")]
            Self::Client(error) if error.is_of_input() => Class::Input,
            // A file that starts like one of ours and breaks off is an invalid proof.
            Self::File(error) if matches!(error.kind, DecodeErrorKind::Magic | DecodeErrorKind::Version(_)) => {
                Class::Input
            }
            _ => Class::Invalid,
        }
    }
}

impl From<PolicyError> for Refusal {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

impl From<goldilocks_verifier::VerifyError> for Refusal {
    fn from(error: goldilocks_verifier::VerifyError) -> Self {
        match error {
            goldilocks_verifier::VerifyError::Policy(error) => Self::Policy(error),
            error => Self::Goldilocks(error),
        }
    }
}

#[cfg(feature = "circle")]
impl From<circle_proof::VerifyError> for Refusal {
    fn from(error: circle_proof::VerifyError) -> Self {
        match error {
            circle_proof::VerifyError::Policy(error) => Self::Policy(error),
            error @ circle_proof::VerifyError::NoVerifier(_) => Self::NoVerifier(error),
            error => Self::Circle(error),
        }
    }
}

#[cfg(feature = "client")]
impl From<client::RefusedError> for Refusal {
    fn from(error: client::RefusedError) -> Self {
        match error {
            client::RefusedError::Policy(error) => Self::Policy(error),
            error => Self::Client(error),
        }
    }
}
