//! A statement of the Goldilocks protocol, ready to be proven.

use std::sync::Arc;

use air::Trace;
use field::Goldilocks;
use gpu_hal::{Protocol as _, StarkBackend, Step};
use proof::Statement;
use prover_core::goldilocks::{Plan, ProveError, Prover};

use super::check::check_trace;
use super::types::{Provable, Request};
use crate::device::Backend;
use crate::error::Error;
use crate::stage::{Follow, Following, Stage};
use crate::system::{AirProver, Encode, Goldilocks3};

/// A statement on a backend.
pub(super) struct ReadyProver {
    prover: Prover<Backend<Goldilocks3>>,
    statement: Provable,
    request: Request,
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
            request: request.clone(),
            backend: backend.capabilities().backend.clone(),
        })
    }
}

impl AirProver<Goldilocks3> for ReadyProver {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn generates(&self) -> bool {
        self.prover.generates()
    }

    fn steps(&self, generated: bool) -> Result<Vec<Step>, Error> {
        Ok(self.prover.rehearse(&self.request.options, generated)?.steps)
    }

    fn prove(&self, trace: Option<&Trace<Goldilocks>>, follow: &Follow<'_>) -> Result<Encode<'_>, Error> {
        let (options, seed, follow) = (&self.request.options, self.request.extras.seed(), Following(follow));
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
        let proof = proof.map_err(|error| match error {
            ProveError::Unsatisfied(_) if is_true() => Error::Miscomputed { backend: self.backend.clone() },
            ProveError::Cancelled(cancelled) => Error::Cancelled(Stage::Prove(cancelled.phase)),
            error => error.into(),
        })?;
        Ok(Box::new(move |parameters| {
            let statement = Statement {
                protocol: Goldilocks3::NAME.to_owned(),
                extension_degree: Goldilocks3::DEGREE as u64,
                air: self.request.air.clone(),
                parameters,
                log_rows: self.request.rows.ilog2(),
                options: self.request.options,
                seed: self.request.extras.seed.clone(),
                public_inputs: self.statement.air.public_inputs(),
                proof: proof::encode(&proof),
            };
            statement.encode().map_err(Error::Encode)
        }))
    }
}
