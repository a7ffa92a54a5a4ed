//! The lies, and the check that must stop each.

use circle_air::ClaimedSumError;
use circle_proof::VerifyError;
use stwo::core::fri::FriVerificationError as Fri;
use stwo::core::vcs_lifted::verifier::MerkleVerificationError;
use stwo::core::verifier::VerificationError as Stwo;

lies! {
    /// One cell of the trace violates a constraint: the identity at the out-of-domain point stops it.
    Cell,
    /// The claim looks up a value of a table more or less often than the trace: the claimed sums stop it.
    Multiplicity,
    /// The same, with claimed sums that cancel: the identity stops it.
    UnbalancedLookup,
    /// Words of the statement, public values included, are edited before they are mixed: the verifier draws other
    /// elements, and the identity stops it, or before it the claimed sums.
    PublicInputs,
    /// Preprocessed columns that are not the statement's, of which the trace is right: their evaluation stops it.
    Preprocessed,
    /// A claimed sum is another one: the claimed sums stop it.
    ClaimedSum,
    /// Two claimed sums are other ones that cancel: the identity stops it.
    ShiftedSums,
    /// Claimed sums that are chosen when the point is known, so that the identity holds and they cancel: the
    /// transcript, so the identity, stops it.
    LateSums,
    /// A claimed sum is left out: the claimed sums stop it.
    MissingSum,
    /// A coordinate of a claimed sum is not reduced: only the check of each of them stops it.
    SumNotCanonical,
    /// A cell of the interaction columns does not follow from the trace: the identity stops it.
    Interaction,
    /// The elements of the AIR are drawn before the main columns are committed: the identity stops it, or the claimed
    /// sums.
    EarlyElements,
    /// The weight of the constraints is drawn before the interaction columns are committed: the identity stops it.
    EarlyAlpha,
    /// The out-of-domain point is drawn before the composition is committed: the identity stops it.
    EarlyPoint,
    /// The weight of the quotients is drawn before the out-of-domain values are mixed: the first layer stops it.
    EarlyBeta,
    /// The factor of a fold is drawn before the layer is committed: the next layer stops it.
    EarlyFold,
    /// The queries are drawn before the last layer is mixed: the openings stop it, by count or by the root.
    EarlyQueries,
    /// A composition of low degree that has nothing to do with the trace: the identity stops it.
    Composition,
    /// The halves of the composition change places: the identity stops it.
    SwappedHalves,
    /// A half of too high a degree, with a value at the point that fits: the low-degree test stops it.
    HighComposition,
    /// A main column of too high a degree that has the right values on the rows: the low-degree test stops it.
    HighTrace,
    /// Values at the point that are not the columns' values, and satisfy the identity: the low-degree test stops it.
    OutOfDomain,
    /// A composition that is committed when the point is known, and satisfies the identity there: the transcript, so
    /// the identity, stops it.
    LateComposition,
    /// Values at the point that are chosen when their weights are known, so that the quotient stays the same: the
    /// transcript, so the first layer, stops it.
    LateValues,
    /// A sample is left out of the quotient: the first layer stops it.
    MissingSample,
    /// A sample is taken at another point: the first layer stops it.
    MovedSample,
    /// A first layer of low degree that is not the quotient: the first layer stops it.
    OtherQuotient,
    /// A later layer that is not the fold of the one before: its root stops it.
    OtherLayer,
    /// A layer is folded with another factor than the drawn one: the next layer stops it.
    OtherFactor,
    /// Another last layer: the folds that do not end in it stop it.
    LastLayer,
    /// One layer less than there must be: the number of layers stops it.
    ShortFolding,
    /// One layer more than there must be: the number of layers stops it.
    LongFolding,
    /// A nonce that does not do the work: the proof of work stops it.
    NoGrinding,
    /// Every query is answered like the first: the root stops it.
    RepeatedQueries,
    /// The prover opens other positions than the drawn ones: the openings stop it, by count or by the root.
    ChosenQueries,
    /// The prover answers one query only: the number of opened values stops it.
    FewerQueries,
    /// Main and composition columns are opened by each other's siblings: the root stops it.
    SwappedTrees,
    /// Two columns are opened in each other's place: the root stops it.
    SwappedColumns,
    /// Two queries are answered by each other's values: the root stops it.
    SwappedQueries,
    /// A sibling is left out: the number of siblings stops it.
    ShortPath,
    /// Leaves of layers hold four values where there must be one, and one where there must be four, so that nodes are
    /// leaves and leaves nodes: the number of siblings stops it, or the root.
    LeafForNode,
    /// The root of a preprocessed tree without columns, of which nothing is opened, is another one: the look at it
    /// stops it.
    EmptyRoot,
    /// All is right on half the common domain: the number of layers stops it.
    ShrunkDomain,
    /// An element that is not reduced: decoding stops it.
    NotCanonical,
}

impl Lie {
    /// Whether a refusal is by the check that the lie is there for. Where the transcript changes and there is work to
    /// do, the proof of work counts: it comes first.
    pub fn stops(self, error: &VerifyError) -> bool {
        use VerifyError as E;
        let is_identity = matches!(error, E::Protocol(Stwo::OodsNotMatching));
        let is_sum = matches!(error, E::ClaimedSums(ClaimedSumError::Value { .. }));
        let is_work = matches!(error, E::ProofOfWork { .. });
        let is_shape = matches!(error, E::Shape(_));
        let is_root = matches!(error, E::Protocol(Stwo::Merkle(MerkleVerificationError::RootMismatch)));
        let is_first = matches!(error, E::Protocol(Stwo::Fri(Fri::FirstLayerCommitmentInvalid { .. })));
        let is_inner = matches!(error, E::Protocol(Stwo::Fri(Fri::InnerLayerCommitmentInvalid { .. })));
        let is_last = matches!(error, E::Protocol(Stwo::Fri(Fri::LastLayerEvaluationsInvalid)));
        match self {
            Self::Cell
            | Self::UnbalancedLookup
            | Self::ShiftedSums
            | Self::Interaction
            | Self::Composition
            | Self::SwappedHalves => is_identity,
            Self::Multiplicity | Self::ClaimedSum => is_sum,
            Self::PublicInputs | Self::EarlyElements => is_identity || is_sum || is_work,
            Self::EarlyAlpha | Self::EarlyPoint | Self::LateComposition | Self::LateSums => is_identity || is_work,
            Self::Preprocessed => matches!(error, E::Preprocessed { .. }),
            Self::MissingSum => matches!(error, E::ClaimedSums(ClaimedSumError::Count { .. })),
            Self::SumNotCanonical => matches!(error, E::ClaimedSumNotCanonical { .. }),
            Self::EarlyBeta | Self::LateValues => is_first || is_work,
            Self::MissingSample | Self::MovedSample | Self::OtherQuotient => is_first,
            Self::EarlyFold => is_inner || is_last || is_work,
            Self::OtherFactor => is_inner || is_last,
            Self::OtherLayer => is_inner,
            Self::HighComposition | Self::HighTrace | Self::OutOfDomain | Self::LastLayer => is_last,
            Self::EarlyQueries | Self::ChosenQueries => is_shape || is_root,
            Self::ShortFolding | Self::LongFolding | Self::FewerQueries | Self::ShortPath | Self::ShrunkDomain => {
                is_shape
            }
            Self::NoGrinding => is_work,
            Self::RepeatedQueries | Self::SwappedTrees | Self::SwappedColumns | Self::SwappedQueries => is_root,
            Self::LeafForNode => is_shape || is_first,
            Self::EmptyRoot => matches!(error, E::EmptyRoot),
            Self::NotCanonical => matches!(error, E::Decode(_)),
        }
    }
}
