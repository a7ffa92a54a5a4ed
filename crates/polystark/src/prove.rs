//! From a request to a proof that the verifier has accepted.

use std::sync::Arc;

use air::{Air, Recorded, Trace};
use field::{Fp3, Goldilocks};
use gpu_hal::{Protocol, StarkBackend};
use proof::Statement;
use prover_core::{Observer, Phase, Plan, ProveError, Prover};
use verifier::Policy;

use crate::device::missing_memory;
use crate::{Error, Goldilocks3, Report, Request, TraceSource, verify_file};

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
        &self.report.statement.proof
    }
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Computing the trace on the host, if it is not the device that does.
    Trace,
    /// A phase of the prover.
    Prove(Phase),
    /// Verifying what came out.
    Verify,
}

impl Stage {
    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Prove(phase) => phase.name(),
            Self::Verify => "verification",
        }
    }

    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        let phases = Phase::ALL.into_iter().map(Self::Prove);
        std::iter::once(Self::Trace).chain(phases).chain(std::iter::once(Self::Verify))
    }
}

/// Proves the statement, then verifies the proof from the very bytes that are returned.
///
/// # Errors
/// [`Error::Air`] and [`Error::Prove`] say what cannot be proven and why; [`Error::SelfCheck`] that the backend made a proof
/// that is not one.
pub fn prove_air<B: StarkBackend<P = Goldilocks3>>(backend: &Arc<B>, request: &Request) -> Result<Proven, Error> {
    prove_air_with(backend, request, &|_| ())
}

/// As [`prove_air`]; `follow` is called at the beginning of each stage.
///
/// # Errors
/// Those of [`prove_air`].
pub fn prove_air_with<B: StarkBackend<P = Goldilocks3>>(
    backend: &Arc<B>,
    request: &Request,
    follow: &dyn Fn(Stage),
) -> Result<Proven, Error> {
    let air = request.build()?;
    let prover = Prover::new(backend.clone(), air.clone())?;
    let plan = prover.plan(&request.options)?;
    let generated = match request.trace {
        TraceSource::Auto => prover.generates(),
        TraceSource::Upload => false,
        TraceSource::Device => true,
    };
    check_memory(&**backend, &plan, generated)?;
    let trace = (!generated).then(|| {
        follow(Stage::Trace);
        let _span = tracing::info_span!("trace").entered();
        air.trace()
    });
    let proof = {
        let _span = tracing::info_span!("prove", air = air.name(), rows = request.rows).entered();
        let (options, seed, follow) = (&request.options, request.seed(), Follow(follow));
        let proof = match &trace {
            Some(trace) => prover.prove(trace, options, seed, &follow),
            None => prover.prove_generated(options, seed, &follow),
        };
        let is_true = || match &trace {
            Some(trace) => is_satisfied(prover.recorded(), &*air, trace),
            None => is_satisfied(prover.recorded(), &*air, &air.trace()),
        };
        proof.map_err(|error| match error {
            ProveError::Unsatisfied(_) if is_true() => {
                Error::Miscomputed { backend: backend.capabilities().backend.clone() }
            }
            error => error.into(),
        })?
    };
    drop(trace);
    let statement = Statement {
        protocol: Goldilocks3::NAME.to_owned(),
        extension_degree: Goldilocks3::DEGREE as u64,
        air: air.name().to_owned(),
        parameters: request.resolved_parameters(),
        log_rows: plan.log_trace,
        options: request.options,
        seed: request.seed.clone(),
        public_inputs: air.public_inputs(),
        proof: proof::encode(&proof),
    };
    let file = statement.encode().map_err(Error::Encode)?;
    follow(Stage::Verify);
    let _span = tracing::info_span!("verify").entered();
    // How much the proof is worth is for its receiver to judge.
    let report = verify_file(&file, &Policy::ANY, &request.expect_seed()).map_err(|error| Error::SelfCheck {
        backend: backend.capabilities().backend.clone(),
        source: Box::new(error),
    })?;
    Ok(Proven { file, report, plan, generated })
}

/// Whether the trace satisfies the constraints after all, row by row on the host. Slow, and only asked after a failure.
fn is_satisfied(recorded: &Recorded<Goldilocks3>, air: &dyn Air<Goldilocks3>, trace: &Trace<Goldilocks>) -> bool {
    // An honest trace satisfies them for all challenges; these have no meaning.
    let challenge = |k: usize| {
        let coordinate = |odd: u64| Goldilocks::new(odd.wrapping_mul(k as u64 + 1));
        Fp3::new(
            coordinate(0x9E37_79B9_7F4A_7C15),
            coordinate(0xD1B5_4A32_D192_ED03),
            coordinate(0x2545_F491_4F6C_DD1D),
        )
    };
    let challenges: Vec<Fp3> = (0..recorded.layout().challenges).map(challenge).collect();
    air::check_trace(recorded, air, trace, &challenges).is_ok()
}

/// Refuses what does not fit, before the trace is built: its own memory would be the first to be missing.
fn check_memory<B: StarkBackend>(backend: &B, plan: &Plan, generated: bool) -> Result<(), Error> {
    let upload = if generated { 0 } else { plan.upload_bytes };
    match missing_memory(backend, plan.peak_bytes, 0, upload)? {
        Some((needed, available)) => Err(ProveError::Memory { needed, at: plan.peak_at, available }.into()),
        None => Ok(()),
    }
}

/// Turns the prover's phases into stages.
struct Follow<'a>(&'a dyn Fn(Stage));

impl Observer<Fp3> for Follow<'_> {
    fn phase(&self, phase: Phase) {
        (self.0)(Stage::Prove(phase));
    }
}
