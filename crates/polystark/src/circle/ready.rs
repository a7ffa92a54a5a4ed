//! A statement of the Circle protocol, ready to be proven.

use std::sync::Arc;

use circle_air::Trace;
use gpu_hal::{CircleStark, StarkBackend, Step};
use prover_core::circle::{CircleProof, Plan, ProveError, Prover};

use super::types::{Provable, Request};
use crate::device::Backend;
use crate::error::Error;
use crate::flavour::Ready;
use crate::stage::{Follow, Following, Stage};

/// A statement on a backend.
pub struct ReadyProver {
    prover: Prover<Backend<CircleStark>>,
    /// Whether the trace is known to satisfy the statement.
    is_honest: bool,
    /// Name of the backend.
    backend: String,
}

impl ReadyProver {
    pub(super) fn new(
        backend: &Arc<Backend<CircleStark>>,
        request: &Request,
        statement: &Provable,
    ) -> Result<Self, Error> {
        let air = &statement.air;
        let prover = Prover::new(backend.clone(), air.clone(), &request.resolved_options(&**air))?;
        Ok(Self { prover, is_honest: statement.is_honest, backend: backend.capabilities().backend.clone() })
    }
}

impl Ready<CircleStark> for ReadyProver {
    fn plan(&self) -> &Plan {
        self.prover.plan()
    }

    fn generates(&self) -> bool {
        self.prover.generates()
    }

    fn steps(&self, generated: bool) -> Result<Vec<Step<CircleStark>>, Error> {
        Ok(self.prover.rehearse(generated)?.steps)
    }

    fn prove(&self, trace: Option<&Trace>, follow: &Follow<'_>) -> Result<CircleProof, Error> {
        let proof = match trace {
            Some(trace) => self.prover.prove(trace, &Following(follow)),
            None => self.prover.prove_generated(&Following(follow)),
        };
        proof.map_err(|error| match error {
            ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_) if self.is_honest => {
                Error::Miscomputed { backend: self.backend.clone() }
            }
            ProveError::Cancelled(cancelled) => Error::Cancelled(Stage::Prove(cancelled.phase)),
            error => error.into(),
        })
    }
}
