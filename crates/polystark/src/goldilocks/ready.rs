//! A statement of the Goldilocks protocol, ready to be proven.

use std::sync::Arc;

use air::Trace;
use field::Goldilocks;
use gpu_hal::{StarkBackend, Step};
use proof::{Proof, ProofOptions};
use prover_core::goldilocks::{Plan, ProveError, Prover};

use super::check::check_trace;
use super::request::Extras;
use super::types::{Provable, Request};
use crate::device::Backend;
use crate::error::Error;
use crate::flavour::Ready;
use crate::stage::{Follow, Following, Stage};
use crate::types::Goldilocks3;

/// A statement on a backend.
pub struct ReadyProver {
    prover: Prover<Backend<Goldilocks3>>,
    statement: Provable,
    options: ProofOptions,
    extras: Extras,
    plan: Plan,
    /// Name of the backend.
    backend: String,
}

impl ReadyProver {
    pub(super) fn new(
        backend: &Arc<Backend<Goldilocks3>>,
        request: &Request,
        statement: &Provable,
    ) -> Result<Self, Error> {
        let prover = Prover::new(backend.clone(), statement.air.clone())?;
        Ok(Self {
            plan: prover.plan(&request.options)?,
            prover,
            statement: statement.clone(),
            options: request.options,
            extras: request.extras.clone(),
            backend: backend.capabilities().backend.clone(),
        })
    }
}

impl Ready<Goldilocks3> for ReadyProver {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn generates(&self) -> bool {
        self.prover.generates()
    }

    fn steps(&self, generated: bool) -> Result<Vec<Step<Goldilocks3>>, Error> {
        Ok(self.prover.rehearse(&self.options, generated)?.steps)
    }

    fn prove(&self, trace: Option<&Trace<Goldilocks>>, follow: &Follow<'_>) -> Result<Proof<Goldilocks3>, Error> {
        let (options, seed, follow) = (&self.options, self.extras.seed(), Following(follow));
        let proof = match trace {
            Some(trace) => self.prover.prove(trace, options, seed, &follow),
            None => self.prover.prove_generated(options, seed, &follow),
        };
        // Whether it satisfies the AIR after all, row by row on the host. Slow, and only asked after a failure.
        let is_satisfied = |trace: &_| check_trace(self.prover.recorded(), &*self.statement.air, trace, 1).is_ok();
        let is_true = || match trace {
            Some(trace) => is_satisfied(trace),
            None => self.statement.trace().is_ok_and(|trace| is_satisfied(&trace)),
        };
        proof.map_err(|error| match error {
            ProveError::Unsatisfied(_) if is_true() => Error::Miscomputed { backend: self.backend.clone() },
            ProveError::Cancelled(cancelled) => Error::Cancelled(Stage::Prove(cancelled.phase)),
            error => error.into(),
        })
    }
}
