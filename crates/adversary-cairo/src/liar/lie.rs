//! The lies, and the check that must stop each.

use cairo::verify::{ClaimError, PublicError, VerifyError};
use cairo_air::verifier::CairoVerificationError as Reference;
use circle_proof::VerifyError as Circle;
use stwo::core::fri::FriVerificationError as Fri;
use stwo::core::verifier::VerificationError as Stwo;

macro_rules! lies {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// A lie, and the check that must stop it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Lie { $($(#[doc = $doc])+ $name,)+ }

        impl Lie {
            /// All lies.
            pub const ALL: &[Self] = &[$(Self::$name,)+];
        }
    };
}

lies! {
    /// A cell that no lookup reads violates a constraint: the identity stops it.
    Cell,
    /// An instruction has another flag in the claim: the claimed sums stop it.
    WrongFlag,
    /// A sum has another result than its operands': the claimed sums stop it, as the memory has the right one.
    WrongResult,
    /// A jump goes out of the program: the claimed sums stop it, as nobody goes on from there.
    JumpOutside,
    /// The memory has another value than was written: the claimed sums stop it.
    OtherValue,
    /// An address has the id of another value: the claimed sums stop it.
    OtherId,
    /// A limb of a felt has more than nine bits, as felts above the prime and others: the claimed sums stop it.
    HighLimb,
    /// A range-checked value is out of range: the claimed sums stop it, as the memory has the right one.
    OutOfRange,
    /// An instruction runs once more in the claim than in the run: the claimed sums stop it.
    Multiplicity,
    /// The same, with claimed sums that cancel: the identity stops it.
    UnbalancedLookup,
    /// A claimed sum is another one: the claimed sums stop it.
    ClaimedSum,
    /// Two claimed sums are other ones that cancel: the identity stops it.
    ShiftedSums,
    /// Another program: the claimed sums stop it.
    ProgramWord,
    /// Another output: the claimed sums stop it.
    OutputWord,
    /// The claim uses less of a builtin's segment than the run: the claimed sums stop it.
    SegmentStop,
    /// Another id of the first call's frame: the claimed sums stop it.
    FrameId,
    /// The claim gives a component twice its rows: the identity stops it.
    ComponentSize,
    /// The claim is mixed before the root of the preprocessed columns: the work before the lookups, done on another
    /// transcript, stops it.
    OtherOrder,
    /// The composition is that of other constraints, of which the trace is right: the identity stops it.
    OtherComposition,
    /// Values at the point that are not the columns' values, and satisfy the identity. The quotient is of low degree
    /// all the same, as the prover computes it on as few points as fix it: the first layer stops it, which is none of
    /// the columns' on the others.
    OutOfDomain,
    /// A coefficient of the last layer is another one: the folds that do not end in it stop it.
    OtherLast,
    /// Another salt than the mixed one: the work before the lookups stops it.
    OtherSalt,
    /// The configuration in the proof is another than the mixed one: the work before the lookups stops it.
    OtherConfig,
    /// Fewer queries, in proof and configuration: the policy stops it.
    FewerQueries,
    /// A nonce before the lookups that does not do the work: the look at it stops it.
    NoInteractionWork,
    /// A nonce before the queries that does not do the work: the look at it stops it.
    NoGrinding,
    /// The run begins elsewhere: the registers stop it.
    FirstState,
    /// The run ends elsewhere: the registers stop it.
    LastState,
    /// The program does not begin with the call of its main function: its first words stop it.
    ProgramStart,
    /// A word of the program is left out: its length stops it.
    ProgramLength,
    /// A word of the output is left out: its length stops it.
    OutputLength,
    /// The claim puts the output elsewhere: the check of its place stops it.
    OutputPlace,
    /// The claim begins a builtin's segment elsewhere than its component: the check of segments stops it.
    SegmentStart,
    /// The claim makes a builtin's segment longer than its component: the check of segments stops it.
    SegmentEnd,
    /// A word that is put out is given with the prime added: the look at numbers stops it.
    WordAbovePrime,
    /// An id is given with the field's prime added: the look at numbers stops it.
    IdAbovePrime,
    /// The salt is given with the field's prime added: the look at numbers stops it.
    SaltAbovePrime,
    /// A claimed sum is given with the field's prime added: the look at numbers stops it.
    SumAbovePrime,
    /// A value at the point is given with the field's prime added: the look at numbers stops it.
    SampleAbovePrime,
    /// An opened value is given with the field's prime added: the look at numbers stops it.
    OpenedAbovePrime,
    /// A value beside the queried ones of a layer is given with the field's prime added: the look at numbers stops it.
    LayerAbovePrime,
    /// A coefficient of the last layer is given with the field's prime added: the look at numbers stops it.
    LastAbovePrime,
    /// The last layer says another length than it has: the look at it stops it.
    LastLayer,
    /// A sum of a component that is not there: the look at sums stops it.
    SumOfNothing,
    /// A component without a sum: the look at sums stops it.
    NoSum,
    /// The sum of the big memory values is not that of their chunks: the look at it stops it.
    ChunkTotal,
    /// A component of too few rows: the sizes stop it.
    TooShort,
    /// A component of more rows than the preprocessed columns number: the sizes stop it.
    TooLong,
    /// Enough rows that lookups could be used as often as the prime: the count stops it.
    TooManyUses,
    /// A component that every run has is left out, with its sum: the look at components stops it.
    NoMemory,
    /// A component is left out, with its sum, and the work is done again: the shape stops it.
    MissingComponent,
    /// A component too many, with a sum of zero, and the work is done again: the shape stops it.
    SurplusComponent,
    /// Another variant of the preprocessed columns: their root stops it, or a table of points that the variant does not
    /// have.
    OtherVariant,
    /// Another root of the preprocessed columns: the look at it stops it.
    OtherRoot,
    /// An opened value is another one: the root stops it.
    Opened,
    /// Every query is answered like the first: the root stops it.
    RepeatedQueries,
    /// Main and composition columns are opened by each other's siblings: the shape stops it, or the root.
    SwappedTrees,
    /// Two columns are opened in each other's place: the root stops it.
    SwappedColumns,
    /// A sibling is left out of an opening: the shape stops it.
    ShortPath,
    /// A layer is left out: the shape stops it.
    ShortFolding,
}

impl Lie {
    /// Whether the lie is an edit of a proof that is there: others take a whole proof.
    pub fn is_edit(self) -> bool {
        self as usize >= Self::OtherSalt as usize
    }

    /// Whether a refusal is by the check that is there for this lie.
    pub fn stops(self, error: &VerifyError) -> bool {
        use VerifyError as E;
        let reference = match error {
            E::Reference(error) => error.downcast_ref::<Reference>(),
            _ => None,
        };
        let stark = match reference {
            Some(Reference::Stark(error)) => Some(error),
            _ => None,
        };
        let sums = matches!(reference, Some(Reference::InvalidLogupSum));
        let identity = matches!(stark, Some(Stwo::OodsNotMatching));
        let work = matches!(error, E::InteractionWork { .. });
        let shape = matches!(error, E::Proof(Circle::Shape(_)));
        let root = matches!(stark, Some(Stwo::Merkle(_)));
        let first = matches!(stark, Some(Stwo::Fri(Fri::FirstLayerCommitmentInvalid { .. })));
        let last = matches!(stark, Some(Stwo::Fri(Fri::LastLayerEvaluationsInvalid)));
        let reduced = matches!(error, E::NotReduced { .. } | E::Public(PublicError::NotReduced { .. }));
        match self {
            Self::Cell | Self::UnbalancedLookup | Self::ShiftedSums => identity,
            Self::ComponentSize | Self::OtherComposition => identity,
            Self::WrongFlag | Self::WrongResult | Self::JumpOutside | Self::OtherValue | Self::OtherId => sums,
            Self::HighLimb | Self::OutOfRange | Self::Multiplicity | Self::ClaimedSum => sums,
            Self::ProgramWord | Self::OutputWord | Self::SegmentStop | Self::FrameId => sums,
            Self::OtherOrder | Self::OtherSalt | Self::OtherConfig | Self::NoInteractionWork => work,
            Self::FewerQueries => error.is_policy(),
            Self::NoGrinding => matches!(error, E::Proof(Circle::ProofOfWork { .. })),
            Self::FirstState | Self::LastState => matches!(error, E::Public(PublicError::Run { .. })),
            Self::ProgramStart => matches!(error, E::Public(PublicError::ProgramStart { .. })),
            Self::ProgramLength => matches!(error, E::Public(PublicError::ProgramLength { .. })),
            Self::OutputLength => matches!(error, E::Public(PublicError::OutputLength { .. })),
            Self::OutputPlace => matches!(error, E::Public(PublicError::OutputPlace { .. })),
            Self::SegmentStart | Self::SegmentEnd => matches!(error, E::Public(PublicError::Segment { .. })),
            Self::WordAbovePrime | Self::IdAbovePrime | Self::SaltAbovePrime => reduced,
            Self::SumAbovePrime | Self::SampleAbovePrime | Self::OpenedAbovePrime => reduced,
            Self::LayerAbovePrime | Self::LastAbovePrime => reduced,
            Self::OutOfDomain => first,
            Self::OtherLast => last,
            Self::LastLayer => matches!(error, E::LastLayer { .. }),
            Self::SumOfNothing => matches!(error, E::Claim(ClaimError::SumOfNothing { .. })),
            Self::NoSum => matches!(error, E::Claim(ClaimError::NoSum { .. })),
            Self::ChunkTotal => matches!(error, E::Claim(ClaimError::ChunkTotal)),
            Self::TooShort => matches!(error, E::Claim(ClaimError::Size { .. })),
            Self::TooLong => matches!(error, E::Claim(ClaimError::TooLong { .. })),
            Self::TooManyUses => matches!(error, E::Claim(ClaimError::Uses { .. })),
            Self::NoMemory => matches!(error, E::Claim(ClaimError::Missing { .. })),
            Self::MissingComponent | Self::SurplusComponent | Self::ShortPath | Self::ShortFolding => shape,
            Self::OtherRoot => matches!(error, E::Root { .. }),
            Self::OtherVariant => matches!(error, E::Root { .. } | E::Claim(ClaimError::Points { .. })),
            Self::Opened | Self::RepeatedQueries | Self::SwappedColumns => root,
            Self::SwappedTrees => root || shape,
        }
    }
}
