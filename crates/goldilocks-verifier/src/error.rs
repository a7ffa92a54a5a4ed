//! Why a proof is refused.

use air::AirError;
use goldilocks_proof::merkle::PathError;
use goldilocks_proof::{Draw, OptionsError, Part};
use proof_format::{DecodeError, OTHER_STATEMENT, PolicyError};

/// The check that failed. Queries are counted from 0 in the order of the proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The options are not allowed for this AIR.
    #[error("options: {0}")]
    Options(#[from] OptionsError),
    /// The policy does not take the proof. It may be valid.
    #[error("policy: {0}")]
    Policy(#[from] PolicyError),
    /// The bytes are not the encoding of a proof.
    #[error("decoding: {0}")]
    Decode(#[from] DecodeError),
    /// The proof is for another number of rows.
    #[error("the proof is for {found} rows, the statement has {expected}")]
    TraceLength {
        /// The statement's number.
        expected: u64,
        /// The proof's number.
        found: u64,
    },
    /// The root of the auxiliary tree is there without auxiliary columns, or missing with them.
    #[error("auxiliary root: expected {}, found {}", presence(*.expected), presence(!*.expected))]
    AuxRoot {
        /// Whether there must be one.
        expected: bool,
    },
    /// The out-of-domain table has a wrong width.
    #[error("out-of-domain table has width {found}, not {expected}")]
    OodWidth {
        /// Columns of the AIR.
        expected: u64,
        /// Width in the proof.
        found: u64,
    },
    /// The out-of-domain table has a wrong height.
    #[error("out-of-domain table has height {found}, not {expected}")]
    OodHeight {
        /// Rows of the frame.
        expected: u64,
        /// Height in the proof.
        found: u64,
    },
    /// The out-of-domain table has a wrong number of values.
    #[error("out-of-domain table has {found} values, not {expected}")]
    OodValues {
        /// Width times height.
        expected: usize,
        /// In the proof.
        found: usize,
    },
    /// Wrong number of composition values.
    #[error("{found} out-of-domain values of the composition, not {expected}")]
    CompositionOod {
        /// Composition parts of the AIR.
        expected: usize,
        /// In the proof.
        found: usize,
    },
    /// Wrong number of FRI roots.
    #[error("{found} FRI roots, not {expected}")]
    FriRoots {
        /// `log n - 1`.
        expected: usize,
        /// In the proof.
        found: usize,
    },
    /// Wrong number of FRI decommitments.
    #[error("{found} FRI decommitments for {expected} queries")]
    FriDecommitments {
        /// Queries.
        expected: usize,
        /// In the proof.
        found: usize,
    },
    /// Wrong number of DEEP openings.
    #[error("{found} DEEP openings for {expected} queries")]
    DeepOpenings {
        /// Queries.
        expected: usize,
        /// In the proof.
        found: usize,
    },
    /// A decommitment without exactly one path for each layer.
    #[error("query {query}: {found} FRI paths for {expected} layers")]
    FriPaths {
        /// Query.
        query: usize,
        /// `log n - 1`.
        expected: usize,
        /// In the proof.
        found: usize,
    },
    /// A decommitment without exactly one value for each layer.
    #[error("query {query}: {found} FRI values for {expected} layers")]
    FriValues {
        /// Query.
        query: usize,
        /// `log n - 1`.
        expected: usize,
        /// In the proof.
        found: usize,
    },
    /// An opening of auxiliary columns is there without them, or missing with them.
    #[error("query {query}: opening of auxiliary columns: expected {}, found {}", presence(*.expected), presence(!*.expected))]
    AuxOpening {
        /// Query.
        query: usize,
        /// Whether there must be one.
        expected: bool,
    },
    /// Wrong number of opened values.
    #[error("query {query}, {part}: {found} values at {}, not {expected}", if *.symmetric { "-x" } else { "x" })]
    Evaluations {
        /// Query.
        query: usize,
        /// The opened part.
        part: Part,
        /// Whether it is the list at `-x`.
        symmetric: bool,
        /// Columns of that part.
        expected: usize,
        /// In the proof.
        found: usize,
    },
    /// The composition's two paths, which are one and the same, differ.
    #[error("query {query}: the two composition paths differ")]
    CompositionPaths {
        /// Query.
        query: usize,
    },
    /// A nonce without grinding, or grinding without a nonce.
    #[error("nonce: expected {}, found {}", presence(*.expected), presence(!*.expected))]
    Nonce {
        /// Whether there must be one.
        expected: bool,
    },
    /// A field element is not reduced. Decoding refuses such elements; a proof made in memory may have them.
    #[error("a field element of the proof is not reduced")]
    NotCanonical,
    /// The nonce does not do the work.
    #[error("nonce {nonce} does not have {bits} bits of work: {OTHER_STATEMENT}")]
    ProofOfWork {
        /// The nonce.
        nonce: u64,
        /// Grinding factor.
        bits: u32,
    },
    /// The AIR cannot be evaluated at the out-of-domain point.
    #[error("constraints at the out-of-domain point: {0}")]
    Air(#[from] AirError),
    /// The constraints do not hold at the out-of-domain point.
    #[error("the composition is not what the constraints give at the out-of-domain point: {OTHER_STATEMENT}")]
    Composition,
    /// A query meets a point that the DEEP quotient divides by. Happens by chance with probability about `queries/p^3`.
    #[error("query {query}: the point is one of the out-of-domain points")]
    PointOutOfDomain {
        /// Query.
        query: usize,
    },
    /// The folds do not end in the last value.
    #[error("query {query}: the folds do not end in the last value")]
    LastValue {
        /// Query.
        query: usize,
    },
    /// A path is wrong.
    #[error("query {query}, {part}: {error}")]
    Path {
        /// Query.
        query: usize,
        /// The tree.
        part: Part,
        /// The fault of the path.
        error: PathError,
    },
    /// A nonce of a compact proof does not do the work.
    #[error("nonce {nonce} before the {draw} does not have {bits} bits of work: {OTHER_STATEMENT}")]
    Work {
        /// The draw that it stands before.
        draw: Draw,
        /// The nonce.
        nonce: u64,
        /// Bits that are asked for.
        bits: u32,
    },
    /// The opened leaves of a tree of a compact proof do not lead to its root.
    #[error("{part}: the opened leaves do not lead to the root")]
    Root {
        /// The tree.
        part: Part,
    },
    /// The folds do not end in the last layer of a compact proof.
    #[error("position {position} of the last layer: the folds do not end in its polynomial")]
    LastLayer {
        /// The position.
        position: u64,
    },
}

fn presence(is: bool) -> &'static str {
    if is { "one" } else { "none" }
}
