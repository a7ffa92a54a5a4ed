//! Proofs of the compact format: goldilocks-compact.md, section 6.

mod fri;
mod openings;
mod rounds;

use air::RecordedAir;
use goldilocks_proof::OptionsError;
use goldilocks_proof::compact::{AirDigest, Options, Proof, Sizes};
use gpu_hal::{CosetProtocol, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::format::ProofFormat;
use super::witness::Witness;
use crate::mode::ModeOn;

impl ProofFormat for Options {
    type Proof<P: CosetProtocol> = Proof<P>;
    type Seed<'a> = AirDigest<'a>;

    fn check<P: CosetProtocol>(&self, recorded: &RecordedAir<P>) -> Result<(), OptionsError> {
        let sizes = sizes(recorded);
        self.validate::<P>(&sizes)?;
        self.check_free_rows(&sizes, recorded.free_rows())
    }

    fn any_seed() -> AirDigest<'static> {
        AirDigest::Given(&[0; 32])
    }

    fn prove<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>>(
        context: &Context<'_, B, S, Self>,
        witness: Witness<'_>,
        seed: AirDigest<'_>,
    ) -> Result<Proof<B::P>, ProveError> {
        context.prove(witness, seed)
    }
}

/// The numbers of the statement that fix the length of its proofs.
fn sizes<P: CosetProtocol>(recorded: &RecordedAir<P>) -> Sizes {
    let layout = recorded.layout();
    Sizes {
        log_rows: recorded.log_trace_length(),
        main: layout.main_columns,
        aux: layout.aux_columns,
        frame_rows: layout.frame_rows,
        challenges: layout.challenges,
        parts: layout.composition_parts,
    }
}
