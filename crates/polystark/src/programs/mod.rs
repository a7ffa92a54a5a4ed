//! Cairo programs on a device of the Circle protocol: from a run to a proof that the verifier has accepted. All of it is behind the
//! feature `cairo`.

mod batch;
mod error;
mod keeping;
mod pipeline;

use std::sync::Arc;
use std::time::Duration;

use cairo::RunPlan;
use cairo::preprocessed::Variant;
use cairo::prove::CairoProver;
use cairo::verify::{Expect, Policy, Proof, Verified, verify};
use cairo_run::{Loaded, Run};
use circle_proof::CircleOptions;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Need;
use prover_core::circle::{Keep, Plan, PreprocessedTrace, ProveError};

use crate::device::{Backend, Device};
use crate::error::Error;
use crate::memory::reserve_of_host;
use crate::stage::{Follow, Following, Stage, silent};
use keeping::Kept;

pub use batch::{CairoFlow, CairoJob};
pub use error::CairoError;

/// The options of the reference's tool: a blowup factor of 2, 70 queries, 26 bits of work.
pub const CAIRO_OPTIONS: CircleOptions =
    CircleOptions { pow_bits: 26, log_blowup: 1, queries: 70, fold_step: 1, log_last: 0, lifting: None };

/// A run that is to be proven.
#[derive(Clone, Copy, Debug)]
pub struct CairoRequest<'a> {
    /// The run, as [`Loaded::run`] has it.
    pub input: &'a Run,
    /// The variant of the preprocessed columns.
    pub variant: Variant,
    /// The options of the proof.
    pub options: CircleOptions,
    /// What the proof keeps on the device; as much as its memory allows if it is not said. The proof is the same.
    pub keep: Option<Keep>,
}

impl<'a> CairoRequest<'a> {
    /// A run with the smallest variant of the preprocessed columns that holds it, and the options of the reference's tool.
    ///
    /// # Errors
    /// [`CairoError::Refusal`] if no variant holds it.
    pub fn new(loaded: &'a Loaded) -> Result<Self, Error> {
        let input = &loaded.run;
        Ok(Self { input, variant: cairo::preprocessed::smallest_variant(input)?, options: CAIRO_OPTIONS, keep: None })
    }
}

/// The proof of a run, and what the verifier said.
#[derive(Clone)]
pub struct CairoProven {
    /// The proof. [`cairo::file::encode`] makes a file of it.
    pub proof: Proof,
    /// What the verifier found in it.
    pub verified: Verified,
    /// What it took on the device.
    pub plan: Plan,
}

impl Device<CircleStark> {
    /// The device as one that proves runs.
    pub(crate) fn programs(&self) -> Programs {
        Programs { backend: self.backend.clone(), kept: None }
    }

    /// Proves a run of a Cairo program, then verifies the proof.
    ///
    /// # Errors
    /// What cannot be proven and why; [`Error::SelfCheck`] and [`Error::Miscomputed`] that the backend computes wrongly.
    pub fn prove_cairo(&self, request: &CairoRequest<'_>) -> Result<CairoProven, Error> {
        self.prove_cairo_with(request, &silent)
    }

    /// What the proof of a run would take on this device. Nothing is proven.
    ///
    /// # Errors
    /// What cannot be proven and why, or what the backend reports.
    pub fn plan_cairo(&self, request: &CairoRequest<'_>) -> Result<RunPlan, Error> {
        self.programs().plan(request)
    }

    /// How long the proof of a planned run is likely to take on this device with these options, as a short trial says.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn estimate_cairo(&self, plan: &RunPlan, options: &CircleOptions) -> Result<Duration, Error> {
        self.programs().estimate(plan, options)
    }

    /// As [`Self::prove_cairo`]; `follow` is called at the beginning of each stage.
    ///
    /// # Errors
    /// Those of [`Self::prove_cairo`].
    pub fn prove_cairo_with(&self, request: &CairoRequest<'_>, follow: &Follow<'_>) -> Result<CairoProven, Error> {
        self.programs().prove(request, follow)
    }
}

/// A backend that proves runs of Cairo programs.
pub(crate) struct Programs {
    backend: Arc<Backend<CircleStark>>,
    /// Preprocessed columns that stay on it for the next proofs, if they are to.
    kept: Option<Kept>,
}

impl Programs {
    /// The same backend, but preprocessed columns stay on it for the next proofs, as long as the result lives.
    pub(crate) fn keeping(&self) -> Self {
        Self { backend: self.backend.clone(), kept: Some(Kept::default()) }
    }

    /// What the proof of a run takes on it.
    fn plan(&self, request: &CairoRequest<'_>) -> Result<RunPlan, Error> {
        Ok(cairo::plan::plan(&self.backend, request.input, request.variant, &request.options, request.keep)?)
    }

    /// How long the proof of a planned run is likely to take.
    fn estimate(&self, plan: &RunPlan, options: &CircleOptions) -> Result<Duration, Error> {
        Ok(plan.duration(&*self.backend, options)?)
    }

    /// Proves a run, and verifies the proof, whatever it is worth.
    pub(crate) fn prove(&self, request: &CairoRequest<'_>, follow: &Follow<'_>) -> Result<CairoProven, Error> {
        let prover = match &self.kept {
            Some(kept) => kept.prover(&self.backend, request)?,
            None => prover(&self.backend, request, None)?,
        };
        prove(&self.backend, &prover, request.variant, follow)
    }
}

type Prover<'a> = CairoProver<Backend<CircleStark>, &'a Run>;

/// The prover of a run, which keeps what is asked for, with preprocessed columns that are there already or with new ones.
fn prover<'a>(
    backend: &Arc<Backend<CircleStark>>,
    request: &CairoRequest<'a>,
    columns: Option<Arc<PreprocessedTrace<Backend<CircleStark>>>>,
) -> Result<Prover<'a>, Error> {
    let CairoRequest { input, variant, options, keep } = *request;
    let prover = CairoProver::new(backend.clone(), input, variant, &options, 0, columns)?;
    Ok(match keep {
        Some(keep) => prover.keeping(keep)?,
        None => prover,
    })
}

fn prove(
    backend: &Backend<CircleStark>,
    prover: &Prover<'_>,
    variant: Variant,
    follow: &Follow<'_>,
) -> Result<CairoProven, Error> {
    let name = || backend.capabilities().backend.clone();
    let plan = prover.plan();
    let need = Need { peak: plan.peak_bytes, held: plan.kept_bytes, at: plan.peak_at };
    let _reserved = reserve_of_host(backend, need, || follow(Stage::Wait))?.map_err(ProveError::from)?;
    let proof = prover.prove(&Following(follow)).map_err(|error| match error {
        cairo::prove::Error::Prove(error) => match error {
            // A run that was loaded satisfies its statement.
            ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_) => Error::Miscomputed { backend: name() },
            ProveError::Cancelled(cancelled) => Error::Cancelled(Stage::Prove(cancelled.phase)),
            error => error.into(),
        },
        error => error.into(),
    })?;
    if follow(Stage::Verify).is_break() {
        return Err(Error::Cancelled(Stage::Verify));
    }
    // The prover has computed the preprocessed columns itself: any root of theirs is right.
    let preprocessed_root = proof.stark_proof.commitments.first().map(|root| root.0);
    let policy = circle_proof::Policy { preprocessed_root, ..circle_proof::Policy::ANY };
    let policy = Policy { proof: policy, variant: Some(variant) };
    let verified = verify(proof.clone(), &policy, &Expect::default())
        .map_err(|error| Error::SelfCheck { backend: name(), source: Box::new(error.into()) })?;
    Ok(CairoProven { proof, verified, plan: plan.clone() })
}
