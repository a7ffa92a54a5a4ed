//! A statement of the Circle protocol, ready to be proven.

use std::sync::Arc;

use circle_air::airs::ShippedAir;
use field::M31;
use gpu_hal::{CircleStark, StarkBackend, Step};
use prover_core::circle::{CircleProof, Plan, ProveError, Prover};

use super::types::Request;
use crate::error::Error;
use crate::flavour::Ready;
use crate::stage::{Follow, Following, Stage};

/// A statement on a backend.
pub struct ReadyProver<B: StarkBackend<P = CircleStark>> {
    prover: Prover<B>,
    /// Name of the backend.
    backend: String,
}

impl<B: StarkBackend<P = CircleStark>> ReadyProver<B> {
    pub(super) fn new(backend: &Arc<B>, request: &Request, air: &Arc<dyn ShippedAir>) -> Result<Self, Error> {
        let prover = Prover::new(backend.clone(), air.clone(), &request.resolved_options(&**air))?;
        Ok(Self { prover, backend: backend.capabilities().backend.clone() })
    }
}

impl<B: StarkBackend<P = CircleStark>> Ready<CircleStark> for ReadyProver<B> {
    fn plan(&self) -> &Plan {
        self.prover.plan()
    }

    fn generates(&self) -> bool {
        self.prover.generates()
    }

    fn steps(&self, generated: bool) -> Result<Vec<Step<CircleStark>>, Error> {
        Ok(self.prover.rehearse(generated)?.steps)
    }

    fn prove(&self, trace: Option<&Vec<Vec<Vec<M31>>>>, follow: &Follow<'_>) -> Result<CircleProof, Error> {
        let proof = match trace {
            Some(trace) => self.prover.prove(trace, &Following(follow)),
            None => self.prover.prove_generated(&Following(follow)),
        };
        proof.map_err(|error| match error {
            // The trace of a shipped AIR satisfies it.
            ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_) => {
                Error::Miscomputed { backend: self.backend.clone() }
            }
            ProveError::Cancelled(cancelled) => Error::Cancelled(Stage::Prove(cancelled.phase)),
            error => error.into(),
        })
    }
}
