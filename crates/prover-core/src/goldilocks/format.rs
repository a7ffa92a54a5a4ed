//! The formats of proofs, by their options.

use std::fmt::Debug;

use air::RecordedAir;
use goldilocks_proof::{FormatOptions, OptionsError, Proof, Seed, lambdaworks};
use gpu_hal::{CosetProtocol, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::witness::Witness;
use crate::mode::ModeOn;

/// The options of a format of proofs, and with them the format: [`lambdaworks::Options`], or those of
/// [`goldilocks_proof::compact`]. Nothing else can be. Their methods are the prover's own.
pub trait ProofFormat: FormatOptions + Clone + PartialEq + Debug + Send + Sync + 'static {
    /// Its proofs.
    type Proof<P: CosetProtocol>: Send;
    /// The part that a caller gives of the start of the transcript.
    type Seed<'a>: Copy + Default + Send + Sync;

    /// Checks the options for a statement.
    #[doc(hidden)]
    fn check<P: CosetProtocol>(&self, recorded: &RecordedAir<P>) -> Result<(), OptionsError>;

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

impl ProofFormat for lambdaworks::Options {
    type Proof<P: CosetProtocol> = Proof<P>;
    type Seed<'a> = Seed<'a>;

    fn check<P: CosetProtocol>(&self, recorded: &RecordedAir<P>) -> Result<(), OptionsError> {
        self.validate(recorded.log_trace_length(), recorded.layout().composition_parts)
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
