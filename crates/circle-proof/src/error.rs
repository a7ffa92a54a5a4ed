//! Why a proof is refused.

use circle_air::{ClaimedSumError, ConfigError, StatementError};
use gpu_hal::{Digest, Hex};
use proof_format::OTHER_STATEMENT;

use crate::codec::DecodeErrorKind;
use crate::positions::UnsortedError;
use crate::stwo_verifier::VerificationError;
use crate::{DecodeError, OptionsError, PolicyError, Suite};

/// The check that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The bytes are not the encoding of a proof.
    #[error("decoding: {0}")]
    Decode(#[source] DecodeError),
    /// The configuration in the proof is not allowed, by itself or for this statement.
    #[error("configuration: {0}")]
    Options(#[from] OptionsError),
    /// The policy does not take the proof. It may be valid.
    #[error("policy: {0}")]
    Policy(#[from] PolicyError),
    /// stwo's verifier does not have the hash functions on this kind of machine.
    #[error("stwo's verifier does not have the hash functions {0} on WebAssembly: verify the proof on another machine")]
    NoVerifier(Suite),
    /// The statement cannot be verified.
    #[error("statement: {0}")]
    Statement(#[from] StatementError),
    /// The statement cannot be verified with this configuration.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// A tree is not as high as the common domain, or the preprocessed tree higher.
    #[error(
        "tree {tree} has height {height} on a common domain of 2^{log_domain} points: set lifting to the larger of both"
    )]
    TreeHeight {
        /// The tree.
        tree: usize,
        /// Its height.
        height: u32,
        /// Log2 of the points of the common domain.
        log_domain: u32,
    },
    /// A coordinate of a claimed sum is not below the prime.
    #[error("claimed sum {index} is not reduced")]
    ClaimedSumNotCanonical {
        /// Number of the sum.
        index: usize,
    },
    /// The claimed sums are not those that the statement requires.
    #[error("claimed sums: {0}: {OTHER_STATEMENT}")]
    ClaimedSums(#[from] ClaimedSumError),
    /// The proof is longer than one of the statement can be.
    #[error("the proof has {found} bytes, the statement and the configuration ask for at most {most}")]
    TooLong {
        /// Bytes of the proof.
        found: usize,
        /// Most that are possible.
        most: u128,
    },
    /// The proof is not of the statement's shape.
    #[error("shape: {0}")]
    Shape(#[from] ShapeError),
    /// The statement's preprocessed columns are not as it announces them.
    #[error("the statement announces preprocessed column {column} with 2^{log_size} rows, and gives {found}")]
    PreprocessedRows {
        /// Number of the column.
        column: usize,
        /// Log2 of the rows.
        log_size: u32,
        /// Rows.
        found: usize,
    },
    /// The proof is about other preprocessed columns than the statement's.
    #[error("preprocessed column {column} (`{id}`) is not the statement's")]
    Preprocessed {
        /// Number of the column.
        column: usize,
        /// Its name.
        id: String,
    },
    /// The caller vouches for another preprocessed tree.
    #[error("the root of the preprocessed tree is {}, not {}, which the caller vouches for", hex(found), hex(expected))]
    PreprocessedRoot {
        /// In the proof.
        found: Digest,
        /// By the policy.
        expected: Digest,
    },
    /// The root of a tree without columns is not the digest of nothing.
    #[error("the root of the empty preprocessed tree is wrong")]
    EmptyRoot,
    /// The nonce does not do the work.
    #[error("nonce {nonce} does not have {bits} bits of work: {OTHER_STATEMENT}")]
    ProofOfWork {
        /// The nonce.
        nonce: u64,
        /// Bits of work.
        bits: u32,
    },
    /// The statement asks for a proof of work before the elements of the AIR, whose nonce is not in the bytes of the
    /// proof.
    #[error(
        "the statement asks for {bits} bits of work before its elements are drawn: verify its own kind of proof, with that nonce"
    )]
    InteractionWork {
        /// Bits of work.
        bits: u32,
    },
    /// The out-of-domain point meets a divisor's zero. Happens by chance with probability about `2^-50`.
    #[error("the out-of-domain point meets a denominator: prove again with another statement or configuration")]
    Degenerate,
    /// The queries are out of order in a low preprocessed tree.
    #[error(transparent)]
    Unsorted(#[from] UnsortedError),
    /// One position of the preprocessed tree was opened to two values.
    #[error(
        "query {query} opens preprocessed column {column} to another value than the query before, at the same position"
    )]
    Repeated {
        /// Number of the query, in ascending order.
        query: usize,
        /// Number of the column.
        column: usize,
    },
    /// The opened part of a tree does not lead to the tree's root.
    #[error("the opened values of {tree} do not lead to its root")]
    Opening {
        /// The tree, or the layer of FRI.
        tree: String,
    },
    /// The proof opens a node that verifiers compute otherwise than provers do.
    #[error(transparent)]
    WideNode(#[from] WideNode),
    /// stwo's verifier refused the proof.
    #[error("{0}: {OTHER_STATEMENT}")]
    Protocol(#[from] VerificationError),
}

/// A node of a tree by `blake2s_m31` that a proof opens, and that the reference's prover, with which ours agrees,
/// computes otherwise than every verifier, its own as well ([`gpu_hal::HashFn::tree_parent`]). No verifier takes the
/// proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{tree} is opened at a node whose hash has a word 2^32 - 2 or 2^32 - 1, which the reference's prover and its verifier \
     reduce to different numbers in {suite}: no verifier takes this proof; prove with another salt, with other options or \
     with another channel"
)]
pub struct WideNode {
    /// The tree, or the layer of FRI.
    pub tree: String,
    /// The suite.
    pub suite: Suite,
}

/// A list is not as long as it must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} {what}, not {expected}")]
pub struct ShapeError {
    /// The counted items.
    pub what: String,
    /// In the proof.
    pub found: usize,
    /// By the statement, the configuration and the queries.
    pub expected: usize,
}

impl From<DecodeError> for VerifyError {
    fn from(error: DecodeError) -> Self {
        match error.kind {
            // The number of queries.
            DecodeErrorKind::Number(queries) => Self::Options(OptionsError::Queries(queries)),
            _ => Self::Decode(error),
        }
    }
}

/// A digest in hexadecimal, its first byte first.
pub fn hex(digest: &Digest) -> String {
    Hex(digest).to_string()
}
