//! Why a proof of a Cairo program is refused.

use cairo_run::BuiltinName;
use circle_proof::{OptionsError, PolicyError, Suite, hex};
use gpu_hal::Digest;
use proof_format::OTHER_STATEMENT;

use crate::mismatch::Mismatch;
use crate::preprocessed::Variant;

/// The check that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The policy does not take the proof. It may be valid.
    #[error("policy: {0}")]
    Policy(#[from] PolicyError),
    /// The policy takes other variants of the preprocessed columns. The proof may be valid.
    #[error("the preprocessed columns are {}, which the policy does not take", .0.name())]
    Variant(Variant),
    /// The policy takes proofs that sample other preprocessed columns. The proof may be valid.
    #[error("{}", samples_text(*.all))]
    Samples {
        /// Whether the proof samples all of them.
        all: bool,
    },
    /// No root is known for the configuration of the proof. The proof may be valid.
    #[error(
        "no root of the preprocessed columns {} is known for {suite}, a blowup factor of 2^{log_blowup} and {}. Roots \
         are known for a blowup factor of 2 without lifting. Name the root that you trust to have the proof verified", variant.name(), lifting_text(*.lifting)
    )]
    UnknownRoot {
        /// The variant.
        variant: Variant,
        /// The suite.
        suite: Suite,
        /// Log2 of the blowup.
        log_blowup: u32,
        /// The lifting.
        lifting: Option<u32>,
    },
    /// Proofs of this version of the AIR do not have this suite.
    #[error("there are no proofs of Cairo programs with the hash functions {_0} here")]
    Suite(Suite),
    /// The proof is about other preprocessed columns than its variant's.
    #[error("the root of the preprocessed columns is {}, that of {} is {}", hex(found), variant.name(), hex(expected))]
    Root {
        /// The variant that the proof names.
        variant: Variant,
        /// In the proof.
        found: Digest,
        /// The variant's.
        expected: Digest,
    },
    /// The proof is valid or not, but not the expected one.
    #[error(transparent)]
    Expectation(#[from] Mismatch),
    /// The configuration in the proof is not allowed.
    #[error("configuration: {0}")]
    Options(#[from] OptionsError),
    /// A number of the proof is not reduced.
    #[error("{what} is not reduced: it is not below the prime")]
    NotReduced {
        /// Its name.
        what: String,
    },
    /// The last layer does not say how long it is.
    #[error("the last FRI layer has {found} coefficients, and says another number")]
    LastLayer {
        /// Coefficients.
        found: usize,
    },
    /// The claim is not one of a Cairo program.
    #[error("claim: {0}")]
    Claim(#[from] ClaimError),
    /// The public data are not a Cairo program's.
    #[error("public data: {0}")]
    Public(#[from] PublicError),
    /// A component reads a column at a row that components of the version don't.
    #[error("a component reads a column at another row than its own or the one before: this is not {version}")]
    Offset {
        /// The version of the AIR.
        version: &'static str,
    },
    /// The nonce before the lookup elements does not do the work.
    #[error("the interaction nonce {nonce} does not have {bits} bits of work: {OTHER_STATEMENT}")]
    InteractionWork {
        /// The nonce.
        nonce: u64,
        /// Bits of work.
        bits: u32,
    },
    /// The shape of the proof, its work, or its worth.
    #[error(transparent)]
    Proof(circle_proof::VerifyError),
    /// The reference's verifier refused the proof, with an error of its own.
    #[error("{0}: {OTHER_STATEMENT}")]
    Reference(Box<dyn std::error::Error + Send + Sync>),
    /// The reference's verifier panicked. All its assertions are checked before, so this is a defect, here or there:
    /// but no proof.
    #[error(
        "the verifier of cairo-air panicked: {0}; build cairo-air without overflow checks, which it does not survive, or report the proof"
    )]
    Panicked(String),
}

impl From<circle_proof::VerifyError> for VerifyError {
    fn from(error: circle_proof::VerifyError) -> Self {
        match error {
            circle_proof::VerifyError::Policy(error) => Self::Policy(error),
            circle_proof::VerifyError::Options(error) => Self::Options(error),
            error => Self::Proof(error),
        }
    }
}

impl VerifyError {
    /// Whether only the policy is against the proof: another policy may take it.
    pub fn is_policy(&self) -> bool {
        matches!(self, Self::Policy(_) | Self::Variant(_) | Self::Samples { .. } | Self::UnknownRoot { .. })
    }
}

fn samples_text(all: bool) -> &'static str {
    match all {
        true => {
            "the proof samples all preprocessed columns, the policy takes those alone that a component reads: \
             --preprocessed-samples all admits it"
        }
        false => {
            "the proof samples those preprocessed columns alone that a component reads, the policy takes all: \
             --preprocessed-samples read admits it"
        }
    }
}

fn lifting_text(lifting: Option<u32>) -> String {
    lifting.map_or("no lifting".to_owned(), |lifting| format!("lifting {lifting}"))
}

/// A fault of a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// A component that every run has is not there.
    #[error("there is no component {component}, which every run has")]
    Missing {
        /// The component.
        component: &'static str,
    },
    /// A component has no sum.
    #[error("the component {component} has no claimed sum")]
    NoSum {
        /// The component.
        component: &'static str,
    },
    /// A sum has no component, so that nothing binds it.
    #[error("there is a claimed sum of {component}, but no such component")]
    SumOfNothing {
        /// The component.
        component: &'static str,
    },
    /// Too many chunks of big memory values.
    #[error("big memory values are in {found} chunks, at most 16 are possible")]
    Chunks {
        /// In the claim.
        found: usize,
    },
    /// Not a sum for each chunk.
    #[error("big memory values have {found} claimed sums for {expected} chunks")]
    ChunkSums {
        /// In the proof.
        found: usize,
        /// Chunks.
        expected: usize,
    },
    /// The total of the chunks is not their sum.
    #[error("the claimed sum of big memory values is not the sum of its chunks")]
    ChunkTotal,
    /// A component cannot be so long, or so short.
    #[error("a component has 2^{log_size} rows, 2^{least} to 2^{most} are possible")]
    Size {
        /// Log2 of its rows.
        log_size: u32,
        /// Log2 of the fewest.
        least: u32,
        /// Log2 of the most.
        most: u32,
    },
    /// More addresses than there are.
    #[error("memory_address_to_id has 2^{log_size} rows of 16 addresses, there are 2^29 addresses")]
    Addresses {
        /// Log2 of its rows.
        log_size: u32,
    },
    /// A component that numbers its rows is longer than the numbers.
    #[error("{component} has 2^{log_size} rows, {} numbers at most 2^{most}", .variant.name())]
    TooLong {
        /// The component.
        component: &'static str,
        /// Log2 of its rows.
        log_size: u32,
        /// The variant.
        variant: Variant,
        /// Log2 of the most rows.
        most: u32,
    },
    /// The variant has no such table of points.
    #[error("there is a table of Pedersen points that {} does not have", .variant.name())]
    Points {
        /// The variant.
        variant: Variant,
    },
    /// Both components of the Pedersen builtin.
    #[error("there are two components of the builtin pedersen")]
    BothPedersen,
    /// A relation may be used as often as the prime.
    #[error("the relation {relation} may be used {uses} times, fewer than 2^31 - 1 are sound")]
    Uses {
        /// The relation.
        relation: &'static str,
        /// Times.
        uses: u64,
    },
    /// Ids of values are not all different.
    #[error("ids of values go up to {ids}, 2^31 - 1 are different")]
    Ids {
        /// One after the last id.
        ids: u64,
    },
}

/// A fault of public data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicError {
    /// A number is not below its prime.
    #[error("{what} is not reduced: it is not below the prime")]
    NotReduced {
        /// Its name.
        what: String,
    },
    /// The registers do not belong to a program in proof mode.
    #[error("the run is not one of a program in proof mode: {what}")]
    Run {
        /// The fault.
        what: String,
    },
    /// The program does not fill its memory.
    #[error("the program has {found} words; up to the first frame, at {first_ap}, there is room for {expected}")]
    ProgramLength {
        /// Words.
        found: usize,
        /// The first ap.
        first_ap: u32,
        /// Words that there must be.
        expected: u64,
    },
    /// The program does not begin with a call of main.
    #[error("word {word} of the program is not that of `ap += {builtins}; call rel main; jmp rel 0`")]
    ProgramStart {
        /// Number of the word.
        word: usize,
        /// Number of builtins.
        builtins: u32,
    },
    /// The output is not as long as its segment.
    #[error("the output has {words} words, its segment goes from {start} to {stop}")]
    OutputLength {
        /// Words.
        words: usize,
        /// First address.
        start: u32,
        /// One after the last.
        stop: u32,
    },
    /// The output is not where the lookups read it.
    #[error("the output begins at {start}, it must follow the execution, which ends at {last_ap}")]
    OutputPlace {
        /// First address.
        start: u32,
        /// The last ap.
        last_ap: u32,
    },
    /// The segment of a builtin does not fit the claim.
    #[error("the segment of {builtin} goes from {start} to {stop}: {what}")]
    Segment {
        /// The builtin.
        builtin: BuiltinName,
        /// First address.
        start: u32,
        /// One after the last.
        stop: u32,
        /// The fault.
        what: String,
    },
}
