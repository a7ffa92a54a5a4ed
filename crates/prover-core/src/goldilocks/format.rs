//! The formats of proofs, by their options.

use std::fmt::Debug;

use air::Recorded;
use field::Goldilocks;
use goldilocks_proof::{Hiding, OptionsError, Part, Proof, ProofOptions, Seed};
use gpu_hal::{CosetDomain, CosetProtocol, HashFn, LeafLayout, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::witness::Witness;
use crate::mode::ModeOn;

/// The options of a format of proofs, and with them the format: [`ProofOptions`], or those of
/// [`goldilocks_proof::compact`]. Nothing else can be. Their methods are the prover's own.
pub trait ProofFormat: sealed::Sealed + Clone + PartialEq + Debug + Send + Sync + 'static {
    /// Its proofs.
    type Proof<P: CosetProtocol>: Send;
    /// The part that a caller gives of the start of the transcript.
    type Seed<'a>: Copy + Default + Send + Sync;

    /// Checks the options for a statement.
    #[doc(hidden)]
    fn check<P: CosetProtocol>(&self, recorded: &Recorded<P>) -> Result<(), OptionsError>;

    /// Domain of the rows of the first trees.
    #[doc(hidden)]
    fn lde(&self, log_rows: u32) -> CosetDomain<Goldilocks>;

    /// Hash function of the trees.
    #[doc(hidden)]
    fn tree(&self) -> HashFn;

    /// Leaves of the tree over a part.
    #[doc(hidden)]
    fn leaves(&self, part: Part) -> LeafLayout;

    /// Hiding of the witness.
    #[doc(hidden)]
    fn hiding(&self) -> Hiding;

    /// The seed of a rehearsal, in which no challenge counts.
    #[doc(hidden)]
    fn any_seed() -> Self::Seed<'static>;

    /// Makes a proof.
    #[doc(hidden)]
    fn prove<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>>(
        context: &Context<'_, B, S, Self>,
        witness: Witness<'_>,
        seed: Self::Seed<'_>,
    ) -> Result<Self::Proof<B::P>, ProveError>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for goldilocks_proof::ProofOptions {}
    impl Sealed for goldilocks_proof::compact::Options {}
}

impl ProofFormat for ProofOptions {
    type Proof<P: CosetProtocol> = Proof<P>;
    type Seed<'a> = Seed<'a>;

    fn check<P: CosetProtocol>(&self, recorded: &Recorded<P>) -> Result<(), OptionsError> {
        self.validate(recorded.log_trace_length(), recorded.layout().composition_parts)
    }

    fn lde(&self, log_rows: u32) -> CosetDomain<Goldilocks> {
        self.lde_domain(log_rows)
    }

    fn tree(&self) -> HashFn {
        self.suite.tree()
    }

    fn leaves(&self, part: Part) -> LeafLayout {
        LeafLayout::new(self.suite.format().rows_per_leaf(part))
    }

    fn hiding(&self) -> Hiding {
        self.suite.hiding()
    }

    fn any_seed() -> Seed<'static> {
        Seed::Given(&[])
    }

    fn prove<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>>(
        context: &Context<'_, B, S, Self>,
        witness: Witness<'_>,
        seed: Seed<'_>,
    ) -> Result<Proof<B::P>, ProveError> {
        context.prove(witness, seed)
    }
}
