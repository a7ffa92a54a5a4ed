//! Proofs of any backend: against the golden ones, against the plan. Backends become values first, so that the prover
//! is compiled once for a protocol.

use std::sync::Arc;

use air::airs::ExampleAir;
use goldilocks_proof::{Seed, lambdaworks};
use goldilocks_verifier::Policy;
use gpu_hal::erased::Device;
use gpu_hal::{CosetProtocol, StarkBackend};
use prover_core::Silent;
use prover_core::goldilocks::{ProveError, Prover};
use sha2::{Digest, Sha256};

use super::{Base, Case, Cubic, compact, vectors};

/// The bytes of a proof from the host's trace, which the verifier accepts.
///
/// # Errors
/// The prover's errors.
///
/// # Panics
/// If the verifier refuses the proof.
pub fn prove<B: StarkBackend<P: CosetProtocol>>(
    backend: &Arc<B>,
    air: &Arc<dyn ExampleAir<B::P>>,
    options: &lambdaworks::Options,
    seed: Seed<'_>,
) -> Result<Vec<u8>, ProveError> {
    prove_on(Device::new(backend.clone()), air, options, seed)
}

fn prove_on<P: CosetProtocol>(
    device: Device<P>,
    air: &Arc<dyn ExampleAir<P>>,
    options: &lambdaworks::Options,
    seed: Seed<'_>,
) -> Result<Vec<u8>, ProveError> {
    let prover = Prover::new(Arc::new(device), air.clone())?;
    let proof = prover.prove(&air.trace(), options, seed, &Silent)?;
    let verdict = goldilocks_verifier::verify(prover.recorded(), options, seed, &proof, &Policy::ANY);
    verdict.unwrap_or_else(|error| panic!("{}: {error}", air.name()));
    Ok(goldilocks_proof::encode(&proof))
}

/// Proves a case and compares the proof with the reference's.
///
/// # Panics
/// If there is no proof, or another.
pub fn check<B: StarkBackend<P: CosetProtocol>>(backend: &Arc<B>, case: &Case) {
    checked(Device::new(backend.clone()), case);
}

/// The proof of a case, as long as the reference's and with its digest.
fn checked<P: CosetProtocol>(device: Device<P>, case: &Case) -> Vec<u8> {
    let bytes = prove_on(device, &case.air(), &case.options, Seed::Given(&case.seed));
    let bytes = bytes.unwrap_or_else(|error| panic!("{}: {error}", case.name));
    assert_eq!(bytes.len(), case.length, "{}: length of the proof", case.name);
    assert_eq!(hex::encode(Sha256::digest(&bytes)), case.sha256, "{}: digest of the proof", case.name);
    bytes
}

/// Proves every golden case, on the backends of the two protocols, and compares the proofs byte by byte; then the
/// vectors of the compact format.
///
/// # Panics
/// As [`check`].
pub fn check_vectors<B: StarkBackend<P = Cubic>, C: StarkBackend<P = Base>>(cubic: &Arc<B>, base: &Arc<C>) {
    check_vectors_on(&Device::new(cubic.clone()), &Device::new(base.clone()));
}

fn check_vectors_on(cubic: &Device<Cubic>, base: &Device<Base>) {
    for vector in vectors() {
        let case = &vector.case;
        let bytes = if vector.is_base() { checked(base.clone(), case) } else { checked(cubic.clone(), case) };
        assert!(bytes == vector.proof, "{}: another proof than the reference's", vector.case.name);
    }
    compact::check_vectors_on(cubic);
}

/// Proves on a backend that has proven nothing yet: at most the memory that is planned is taken, and at least 98 % of
/// it.
///
/// # Panics
/// If the plan differs from the memory taken, or there is no proof.
pub fn planned_is_measured<B: StarkBackend<P: CosetProtocol>>(
    backend: B,
    air: &Arc<dyn ExampleAir<B::P>>,
    options: &lambdaworks::Options,
) {
    planned_is_measured_on(Device::new(Arc::new(backend)), air, options);
}

fn planned_is_measured_on<P: CosetProtocol>(
    device: Device<P>,
    air: &Arc<dyn ExampleAir<P>>,
    options: &lambdaworks::Options,
) {
    let backend = Arc::new(device);
    let prover = Prover::new(backend.clone(), air.clone()).unwrap_or_else(|error| panic!("{}: {error}", air.name()));
    // More parts than this blowup has room for.
    let Ok(plan) = prover.plan(options) else { return };
    let made = prover.prove(&air.trace(), options, Seed::Default, &Silent);
    made.unwrap_or_else(|error| panic!("{}: {error}", air.name()));
    let (taken, planned) = (backend.memory().expect("counted").peak, plan.peak_bytes);
    let what = format!("{}, {options:?}: {plan}", air.name());
    assert!(taken <= planned && (planned - taken) * 50 <= planned, "{what}: {taken} bytes taken, {planned} planned");
}
