//! The lies, and the check that must stop each.

use goldilocks_verifier::{Part, VerifyError};

lies! {
    /// One cell of the trace violates a constraint: the identity at the out-of-domain point stops it.
    Cell,
    /// The claim looks up a value of a table more or less often than the trace: the identity stops it.
    Multiplicity,
    /// A running product or sum, or a column of the host, has a cell that does not follow from the trace: the identity
    /// stops it.
    Auxiliary,
    /// Public inputs are edited before they are absorbed: the verifier draws other challenges, and the identity stops
    /// it.
    PublicInputs,
    /// The challenges of the AIR are drawn before the main columns are committed: the identity stops it.
    EarlyChallenges,
    /// The weight of the constraints is drawn before the auxiliary columns are committed: the identity stops it.
    EarlyBeta,
    /// The out-of-domain point is drawn before the composition is committed: the identity stops it.
    EarlyPoint,
    /// The weight of the DEEP terms is drawn before the out-of-domain values are absorbed: the folds stop it.
    EarlyGamma,
    /// The factor of a fold is drawn before the layer is committed: the folds stop it.
    EarlyZeta,
    /// The queries are drawn before the last value is absorbed: the folds stop it.
    EarlyQueries,
    /// The out-of-domain values are absorbed in another order: the folds stop it.
    ValuesByRow,
    /// A composition of low degree that has nothing to do with the trace: the identity stops it.
    Composition,
    /// A composition part whose degree is too high, with a value at the point that fits: the low-degree test stops it.
    HighComposition,
    /// A main column of too high a degree that has the right values on the rows: the low-degree test stops it.
    HighTrace,
    /// Values at the point that are not the columns' values, and satisfy the identity: the low-degree test stops it.
    OutOfDomain,
    /// A composition that is committed when the point is known, and satisfies the identity there: the transcript, so
    /// the identity, stops it.
    LateComposition,
    /// Values at the point that are chosen when their weights are known, so that the DEEP quotient stays the same:
    /// the transcript, so the folds, stop it.
    LateValues,
    /// A low-degree test of a word that is not the DEEP quotient: the folds stop it.
    OtherWord,
    /// A layer is folded with another factor than the drawn one: the folds stop it.
    OtherFactor,
    /// A layer of low degree that is not the fold of the one before: the folds stop it.
    OtherLayer,
    /// Another last value: the folds stop it.
    LastValue,
    /// Another last value, and opened values with which the folds end in it: the paths of the last layer stop it.
    EndedRight,
    /// One fold less than there must be: the number of layers stops it.
    ShortFolding,
    /// One fold more than there must be: the number of layers stops it.
    LongFolding,
    /// No layer is opened: the number of paths stops it.
    NoLowDegreeTest,
    /// A nonce that does not do the work: the proof of work stops it.
    NoGrinding,
    /// A nonce is left out, or there without work: the shape stops it.
    Nonce,
    /// Every query is answered like the first: the folds stop it.
    RepeatedQueries,
    /// The prover opens other points than the drawn ones: the folds stop it.
    ChosenQueries,
    /// The prover answers one query only: the number of openings stops it.
    FewerQueries,
    /// The roots of two trees change places: the transcript, so the identity, stops it.
    SwappedRoots,
    /// Main and auxiliary columns are opened by each other's paths: the root stops it.
    SwappedTrees,
    /// The points `x` and `-x` are opened by each other's paths: the root stops it.
    SwappedPaths,
    /// Two columns are opened in each other's place: the folds stop it.
    SwappedColumns,
    /// The values at `x` and `-x` change places: the folds stop it.
    SwappedPoints,
    /// A path without the sibling of its leaf: the length of the path stops it.
    ShortPath,
    /// A node one level up, read as the leaf that has the same bytes, with the rest of its path: the folds stop it, or
    /// else the length of the path. A leaf has as many bytes as two digests only if there are eight main columns, and
    /// their hash is Keccak-256.
    NodeForLeaf,
    /// Trees of another hash function than the options name: the root stops it.
    OtherHash,
    /// All is right on half the LDE domain: the folds stop it.
    ShrunkDomain,
    /// All is right on another coset: the folds stop it.
    OtherCoset,
    /// The proof says that it is about another number of rows: the shape stops it.
    OtherLength,
    /// An element that is not reduced: only the check of each element stops it.
    NotCanonical,
}

impl Lie {
    /// Whether a refusal is by the check that the lie is there for. Where the transcript changes and there is work to
    /// do, the proof of work counts: it comes first.
    pub fn stops(self, error: &VerifyError) -> bool {
        use VerifyError as E;
        match self {
            Self::Cell | Self::Multiplicity | Self::Auxiliary | Self::Composition => *error == E::Composition,
            Self::PublicInputs
            | Self::EarlyChallenges
            | Self::EarlyBeta
            | Self::EarlyPoint
            | Self::LateComposition
            | Self::SwappedRoots => matches!(error, E::Composition | E::ProofOfWork { .. }),
            Self::EarlyGamma | Self::EarlyZeta | Self::ValuesByRow | Self::LateValues => {
                matches!(error, E::LastValue { .. } | E::ProofOfWork { .. })
            }
            Self::EarlyQueries
            | Self::HighComposition
            | Self::HighTrace
            | Self::OutOfDomain
            | Self::OtherWord
            | Self::OtherFactor
            | Self::OtherLayer
            | Self::LastValue
            | Self::RepeatedQueries
            | Self::ChosenQueries
            | Self::SwappedColumns
            | Self::SwappedPoints
            | Self::OtherCoset => matches!(error, E::LastValue { .. }),
            Self::NodeForLeaf | Self::ShrunkDomain => matches!(error, E::LastValue { .. } | E::Decode(_)),
            Self::EndedRight => matches!(error, E::Path { part: Part::Fri(_), .. }),
            Self::ShortFolding | Self::LongFolding => matches!(error, E::FriRoots { .. } | E::Decode(_)),
            Self::NoLowDegreeTest => matches!(error, E::FriPaths { .. } | E::Decode(_)),
            Self::NoGrinding => matches!(error, E::ProofOfWork { .. }),
            Self::Nonce => matches!(error, E::Nonce { .. } | E::Decode(_)),
            Self::FewerQueries => matches!(error, E::FriDecommitments { .. } | E::Decode(_)),
            Self::SwappedTrees | Self::SwappedPaths | Self::OtherHash => {
                matches!(error, E::Path { part: Part::Main, .. })
            }
            Self::ShortPath => matches!(error, E::Path { part: Part::Main, .. } | E::Decode(_)),
            Self::OtherLength => matches!(error, E::TraceLength { .. } | E::Decode(_)),
            Self::NotCanonical => matches!(error, E::NotCanonical | E::Decode(_)),
        }
    }
}
