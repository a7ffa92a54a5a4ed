//! Runs of Cairo programs as a kind of statement of Circle: from a run to a proof that the verifier has accepted. All
//! of it is behind the feature `cairo`.

mod ahead;
mod error;
mod kept;
mod request;
mod reserve;
#[cfg(all(test, feature = "cairo-vm"))]
mod tests;

use cairo::file::{Format, encode};
use cairo::prove;
use cairo::verify::{Expect, Policy, Verified, verify};
use cairo::{AirProof, Proof, RunPlan, Version};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Need;
use prover_core::circle::{Plan, ProveError};

use crate::devices::backend::AnyBackend;
use crate::devices::device::Device;
use crate::error::Error;
use crate::stage::{Follow, Following, Stage};
use crate::statements::statement::{Ready, Statement};
use kept::KeptColumns;
use request::Prover;
use reserve::reserve_of_host;

pub use ahead::CairoAhead;
pub use error::CairoError;
pub use request::{CAIRO_OPTIONS, CairoRequest};

/// The proof of a run, and the verdict of the verifier.
#[derive(Clone)]
pub struct CairoProven {
    /// The proof. [`Self::file`] makes a file of it.
    pub proof: Proof,
    /// The statement that the verifier found in it.
    pub verified: Verified,
    /// The memory and the transfers that it took on the device.
    pub plan: Plan,
}

impl CairoProven {
    /// The bytes of a file of the proof.
    ///
    /// # Errors
    /// If the proof can't be written in this format.
    pub fn file(&self, format: Format) -> Result<Vec<u8>, Error> {
        Ok(encode(&self.proof, format, self.verified.options.suite)?)
    }
}

/// A run, ready on a device.
pub struct ReadyRun<'a> {
    backend: &'a AnyBackend<CircleStark>,
    prover: Prover<'a>,
    request: &'a CairoRequest<'a>,
}

impl Statement<CircleStark> for CairoRequest<'_> {
    type Plan = RunPlan;
    type Proven = CairoProven;
    type Ready<'a>
        = ReadyRun<'a>
    where
        Self: 'a;

    fn plan(&self, device: &Device<CircleStark>) -> Result<RunPlan, Error> {
        let Self { input, variant, options, samples_all, keep, .. } = self;
        Ok(cairo::plan::plan::<Version, _>(device.backend(), input, *variant, options, *samples_all, *keep)?)
    }

    fn ready<'a>(&'a self, device: &'a Device<CircleStark>) -> Result<ReadyRun<'a>, Error> {
        let backend = device.backend();
        let prover = match device.kept::<KeptColumns>() {
            Some(kept) => kept.prover(backend, self)?,
            None => self.prover(backend, None)?,
        };
        Ok(ReadyRun { backend, prover, request: self })
    }
}

impl Ready for ReadyRun<'_> {
    type Proven = CairoProven;

    fn prove(&self, follow: &Follow<'_>) -> Result<CairoProven, Error> {
        let Self { backend, prover, request } = self;
        let name = || backend.capabilities().backend.clone();
        let plan = prover.plan();
        let need = Need { peak: plan.peak_bytes, held: plan.kept_bytes, at: plan.peak_at };
        let _reserved = reserve_of_host(*backend, need, || follow(Stage::Wait))??;
        let proof = prover.prove(&Following(follow)).map_err(|error| match error {
            // A run that was loaded satisfies its statement.
            prove::Error::Prove(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)) => {
                Error::Miscomputed { backend: name() }
            }
            error => error.into(),
        })?;
        if follow(Stage::Verify).is_break() {
            return Err(Error::Cancelled(Stage::Verify));
        }
        // The prover has computed the preprocessed columns itself: any root of theirs is right.
        let preprocessed_root = proof.root(0);
        let (suite, kind) = (request.options.suite, request.kind);
        let policy = circle_proof::Policy { suite, kind, preprocessed_root, ..circle_proof::Policy::ANY };
        let policy = Policy { proof: policy, variant: Some(request.variant), samples_all: request.samples_all };
        let verified = verify(proof.clone(), &policy, &Expect::default())
            .map_err(|error| Error::of_self_check(name(), error.into()))?;
        Ok(CairoProven { proof, verified, plan: plan.clone() })
    }
}
