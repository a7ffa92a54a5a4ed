//! Runs of Cairo programs as a kind of statement of Circle: from a run to a proof that the verifier has accepted. All
//! of it is behind the feature `cairo`.

mod error;
mod kept;
mod reserve;

use std::sync::Arc;

use cairo::preprocessed::Variant;
use cairo::prove::{self, CairoProver};
use cairo::verify::{Expect, Policy, Verified, verify};
use cairo::witness::smallest_variant;
use cairo::{AirProof, Proof, RunPlan, Version};
use cairo_run::{Loaded, Run};
use circle_proof::{CircleOptions, Suite};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Need;
use prover_core::circle::{Keep, Plan, PreprocessedTrace, ProveError};

use crate::device::{Backend, Device};
use crate::error::Error;
use crate::stage::{Follow, Following, Stage};
use crate::statement::{Ready, Statement};
use kept::KeptColumns;
use reserve::reserve_of_host;

pub use error::CairoError;

/// The options of the reference's tool: a blowup factor of 2, 70 queries, 26 bits of work.
pub const CAIRO_OPTIONS: CircleOptions = CircleOptions {
    pow_bits: 26,
    log_blowup: 1,
    queries: 70,
    fold_step: 1,
    log_last: 0,
    lifting: None,
    suite: Suite::Blake2s,
};

/// A run that is to be proven.
#[derive(Clone, Copy, Debug)]
pub struct CairoRequest<'a> {
    /// The run, as [`Loaded::run`] has it: of a program that ran here, or of a file ([`cairo_run::read_prover_input`]).
    pub input: &'a Run,
    /// The variant of the preprocessed columns.
    pub variant: Variant,
    /// The options of the proof.
    pub options: CircleOptions,
    /// Data that the proof keeps on the device; `None` for as much as its memory allows. The proof is the same.
    pub keep: Option<Keep>,
}

impl<'a> CairoRequest<'a> {
    /// A run with the smallest variant of the preprocessed columns that holds it, and the options of the reference's
    /// tool.
    ///
    /// # Errors
    /// [`CairoError::Refusal`] if no variant holds it.
    pub fn new(loaded: &'a Loaded) -> Result<Self, Error> {
        let input = &loaded.run;
        Ok(Self { input, variant: smallest_variant::<Version>(input)?, options: CAIRO_OPTIONS, keep: None })
    }
}

/// The proof of a run, and the verdict of the verifier.
#[derive(Clone)]
pub struct CairoProven {
    /// The proof. [`cairo::file::encode`] makes a file of it.
    pub proof: Proof,
    /// The statement that the verifier found in it.
    pub verified: Verified,
    /// The memory and the transfers that it took on the device.
    pub plan: Plan,
}

/// A run, ready on a device.
pub struct ReadyRun<'a> {
    backend: &'a Backend<CircleStark>,
    prover: Prover<'a>,
    variant: Variant,
}

impl Statement<CircleStark> for CairoRequest<'_> {
    type Plan = RunPlan;
    type Proven = CairoProven;
    type Ready<'a>
        = ReadyRun<'a>
    where
        Self: 'a;

    fn plan(&self, device: &Device<CircleStark>) -> Result<RunPlan, Error> {
        Ok(cairo::plan::plan::<Version, _>(device.backend(), self.input, self.variant, &self.options, self.keep)?)
    }

    fn ready<'a>(&'a self, device: &'a Device<CircleStark>) -> Result<ReadyRun<'a>, Error> {
        let backend = device.backend();
        let prover = match device.kept::<KeptColumns>() {
            Some(kept) => kept.prover(backend, self)?,
            None => prover(backend, self, None)?,
        };
        Ok(ReadyRun { backend, prover, variant: self.variant })
    }
}

impl Ready for ReadyRun<'_> {
    type Proven = CairoProven;

    fn prove(&self, follow: &Follow<'_>) -> Result<CairoProven, Error> {
        let Self { backend, prover, variant } = self;
        let name = || backend.capabilities().backend.clone();
        let plan = prover.plan();
        let need = Need { peak: plan.peak_bytes, held: plan.kept_bytes, at: plan.peak_at };
        let _reserved = reserve_of_host(*backend, need, || follow(Stage::Wait))??;
        let proof = prover.prove(&Following(follow)).map_err(|error| match error {
            // A run that was loaded satisfies its statement.
            prove::Error::Prove(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)) => {
                Error::Miscomputed { backend: name() }
            }
            prove::Error::Prove(ProveError::Cancelled(cancelled)) => Error::Cancelled(Stage::Prove(cancelled.phase)),
            error => error.into(),
        })?;
        if follow(Stage::Verify).is_break() {
            return Err(Error::Cancelled(Stage::Verify));
        }
        // The prover has computed the preprocessed columns itself: any root of theirs is right.
        let preprocessed_root = proof.root(0);
        let policy = circle_proof::Policy { preprocessed_root, ..circle_proof::Policy::ANY };
        let policy = Policy { proof: policy, variant: Some(*variant) };
        let verified = verify(proof.clone(), &policy, &Expect::default())
            .map_err(|error| Error::SelfCheck { backend: name(), source: Box::new(error.into()) })?;
        Ok(CairoProven { proof, verified, plan: plan.clone() })
    }
}

type Prover<'a> = CairoProver<Version, Backend<CircleStark>, &'a Run>;

/// The prover of a run, which keeps the requested columns, with preprocessed columns that are there already or with new
/// ones.
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
