//! From a request to a proof that the verifier has accepted.

use std::sync::Arc;

use circle_proof::{Policy, ProofFile};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::{Plan, ProveError, Prover};
use prover_core::{Observer, Phase};
use stwo::core::fields::qm31::SecureField;

use super::{Expect, Report, Request, verify_file};
use crate::device::missing_memory;
use crate::{Error, Stage, TraceSource};

/// A proof, its statement, and what the verifier said.
#[derive(Clone, Debug)]
pub struct Proven {
    /// The statement with the proof, encoded: what goes into a file.
    pub file: Vec<u8>,
    /// What the verifier found in `file`.
    pub report: Report,
    /// What the proof took on the device.
    pub plan: Plan,
    /// Whether the device made the trace; else it was uploaded.
    pub generated: bool,
}

impl Proven {
    /// The bare proof.
    pub fn proof(&self) -> &[u8] {
        &self.report.file.proof
    }
}

/// Proves the statement, then verifies the proof from the very bytes that are returned; `follow` is called at the beginning of
/// each stage.
///
/// # Errors
/// [`Error::CircleAir`] and [`Error::CircleProve`] say what cannot be proven and why; [`Error::SelfCheck`] and
/// [`Error::Miscomputed`] that the backend computes wrongly.
pub fn prove<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    request: &Request,
    follow: &dyn Fn(Stage),
) -> Result<Proven, Error> {
    let air = request.build()?;
    let name = || backend.capabilities().backend.clone();
    let prover = Prover::new(backend.clone(), air.clone(), &request.resolved_options(&*air)?)?;
    let generated = match request.trace {
        TraceSource::Auto => prover.generates(),
        TraceSource::Upload => false,
        TraceSource::Device => true,
    };
    check_memory(&**backend, prover.plan(), generated)?;
    let trace = (!generated).then(|| {
        follow(Stage::Trace);
        let _span = tracing::info_span!("trace").entered();
        air.trace()
    });
    let made = {
        let _span = tracing::info_span!("prove", air = air.name(), rows = request.rows).entered();
        let proof = match &trace {
            Some(trace) => prover.prove(trace, &Follow(follow)),
            None => prover.prove_generated(&Follow(follow)),
        };
        proof.map_err(|error| match error {
            // The trace of a shipped AIR satisfies it.
            ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_) => Error::Miscomputed { backend: name() },
            error => error.into(),
        })?
    };
    drop(trace);
    let file = ProofFile {
        air: air.name().to_owned(),
        parameters: request.public_parameters(),
        log_rows: request.log_rows()?,
        words: air.words(),
        claimed_sums: made.claimed_sums,
        proof: circle_proof::encode(&made.proof),
    };
    let file = file.encode().map_err(Error::Encode)?;
    follow(Stage::Verify);
    let _span = tracing::info_span!("verify").entered();
    // How much the proof is worth is for its receiver to judge.
    let report = verify_file(&file, &Policy::ANY, &Expect::default())
        .map_err(|error| Error::SelfCheck { backend: name(), source: Box::new(error) })?;
    Ok(Proven { file, report, plan: prover.plan().clone(), generated })
}

/// Refuses what does not fit, before the trace is built: its own memory would be the first to be missing. The prover asks the
/// backend; one that cannot tell works in the host's memory, where a trace to upload is too. The preprocessed columns are there.
fn check_memory<B: StarkBackend>(backend: &B, plan: &Plan, generated: bool) -> Result<(), Error> {
    let upload = if generated { 0 } else { plan.upload_bytes };
    match missing_memory(backend, plan.peak_bytes, plan.kept_bytes, upload)? {
        Some((needed, available)) => Err(ProveError::Memory { needed, at: plan.peak_at, available }.into()),
        None => Ok(()),
    }
}

/// Turns the prover's phases into stages.
struct Follow<'a>(&'a dyn Fn(Stage));

impl Observer<SecureField> for Follow<'_> {
    fn phase(&self, phase: Phase) {
        (self.0)(Stage::Prove(phase));
    }
}
