//! A statement of the Circle protocol, ready to be proven.

use std::sync::Arc;

use circle_air::Trace;
use circle_proof::ProofFile;
use gpu_hal::{CircleStark, StarkBackend, Step};
use prover_core::circle::{Plan, ProveError, Prover};

use super::types::{Provable, Request};
use crate::device::Backend;
use crate::error::Error;
use crate::stage::{Follow, Following, Stage};
use crate::system::{AirProver, Encode};

/// A statement on a backend.
pub(super) struct ReadyProver {
    prover: Prover<Backend<CircleStark>>,
    request: Request,
    statement: Provable,
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
        let backend = backend.capabilities().backend.clone();
        Ok(Self { prover, request: request.clone(), statement: statement.clone(), backend })
    }
}

impl AirProver<CircleStark> for ReadyProver {
    fn plan(&self) -> &Plan {
        self.prover.plan()
    }

    fn generates(&self) -> bool {
        self.prover.generates()
    }

    fn steps(&self, generated: bool) -> Result<Vec<Step>, Error> {
        Ok(self.prover.rehearse(generated)?.steps)
    }

    fn prove(&self, trace: Option<&Trace>, follow: &Follow<'_>) -> Result<Encode<'_>, Error> {
        let proof = match trace {
            Some(trace) => self.prover.prove(trace, &Following(follow)),
            None => self.prover.prove_generated(&Following(follow)),
        };
        let proof = proof.map_err(|error| match error {
            ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_) if self.statement.is_honest => {
                Error::Miscomputed { backend: self.backend.clone() }
            }
            ProveError::Cancelled(cancelled) => Error::Cancelled(Stage::Prove(cancelled.phase)),
            error => error.into(),
        })?;
        Ok(Box::new(move |parameters| {
            let file = ProofFile {
                air: self.request.air.clone(),
                parameters,
                log_rows: self.request.rows.ilog2(),
                words: self.statement.air.words(),
                claimed_sums: proof.claimed_sums,
                proof: circle_proof::encode(&proof.proof),
                suite: proof.proof.config.suite,
            };
            file.encode().map_err(Error::Encode)
        }))
    }
}
