//! Proofs of any backend against the golden ones. Backends become values first, so that the prover is compiled once.

use std::sync::Arc;

use circle_air::PreprocessedColumn;
use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, Policy, Proof, VerifyError, decode, encode, verify};
use field::{Field, M31, QM31};
use gpu_hal::erased::Device;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Silent;
use prover_core::circle::{CircleProof, Keep, Prover};
use sha2::{Digest, Sha256};

use super::{Case, air, options, vector};
use crate::backends::reference;
use crate::statements::Changed;

/// Proves a case.
///
/// # Panics
/// If there is no proof.
pub fn prove<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, case: &Case) -> CircleProof {
    prove_on(Device::new(backend.clone()), case)
}

fn prove_on(device: Device<CircleStark>, case: &Case) -> CircleProof {
    let prover = Prover::new(Arc::new(device), case.air.clone(), &case.options);
    let prover = prover.unwrap_or_else(|error| panic!("{}: {error}", case.name));
    prover.prove(&case.air.trace(), &Silent).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Proves a case, compares the proof with the reference's, and has stwo's verifier accept it.
///
/// # Panics
/// If the proof is another, or refused.
pub fn check<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, case: &Case) {
    check_on(Device::new(backend.clone()), case);
}

fn check_on(device: Device<CircleStark>, case: &Case) {
    let made = prove_on(device, case);
    let bytes = encode(&made.proof);
    let golden = case.is_vector.then(|| vector(&case.name).proof);
    if let Some(golden) = golden.filter(|golden| *golden != bytes) {
        let golden = decode(&golden, case.options.suite).expect("a golden proof");
        let ours = &made.proof;
        let first = ours.commitments.iter().zip(golden.commitments.iter()).position(|(a, b)| a != b);
        panic!(
            "{}: {} bytes, the reference has {}; first other root: {first:?}; nonces {} and {}",
            case.name,
            bytes.len(),
            case.length,
            ours.proof_of_work,
            golden.proof_of_work
        );
    }
    assert_eq!(bytes.len(), case.length, "{}: length of the proof", case.name);
    assert_eq!(hex::encode(Sha256::digest(&bytes)), case.sha256, "{}: digest of the proof", case.name);
    let policy = Policy { suite: case.options.suite, ..Policy::ANY };
    let verdict = verify(case.air.as_ref(), &made.claimed_sums, &bytes, &policy);
    verdict.unwrap_or_else(|error| panic!("{}: {error}", case.name));
}

/// Proves a statement with preprocessed columns that no component reads, and samples all of them: the proof is that of
/// the reference backend, stwo's verifier accepts it, and neither with other samples nor for the statement that samples
/// those alone that are read.
///
/// # Panics
/// If not.
pub fn check_samples<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>) {
    check_samples_on(&Arc::new(Device::new(backend.clone())));
}

fn check_samples_on(device: &Arc<Device<CircleStark>>) {
    // The first is as high as the common domain lets it be, or higher than all others.
    for (log_rows, lifting) in [(5, None), (6, Some(8))] {
        let column = |log_rows: u32| {
            let values = (0..1 << log_rows).map(|row: u32| M31::new(row * row + log_rows)).collect();
            (PreprocessedColumn::new(&format!("unread_{log_rows}"), log_rows), values)
        };
        let statement = |samples_all| {
            let changed = Changed::new(air("range-squares", 4, "table=5;s=2"));
            Arc::new(changed.with_unread(vec![column(log_rows), column(2)]).sampling_all(samples_all))
        };
        let options = CircleOptions { lifting, ..options() };
        let prove = |device: &Arc<Device<CircleStark>>, samples_all| {
            let prover = Prover::new(device.clone(), statement(samples_all), &options).expect("provable");
            prover.prove(&statement(samples_all).trace(), &Silent).expect("an honest trace")
        };
        let (made, fewer) = (prove(device, true), prove(device, false));
        let bytes = encode(&made.proof);
        assert!(bytes == encode(&prove(&Arc::new(reference()), true).proof), "lifting {lifting:?}: another proof");
        let counts = |proof: &Proof| proof.sampled_values[0].iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!((counts(&made.proof), counts(&fewer.proof)), (vec![1; 4], vec![1, 1, 0, 0]));
        let verdict = |samples_all, proof: &Proof| {
            verify(&*statement(samples_all), &made.claimed_sums, &encode(proof), &Policy::ANY)
        };
        verdict(true, &made.proof).unwrap_or_else(|error| panic!("lifting {lifting:?}: {error}"));
        assert!(matches!(verdict(false, &made.proof), Err(VerifyError::Shape(_))));
        assert!(matches!(verdict(true, &fewer.proof), Err(VerifyError::Shape(_))));
        let changes: [fn(&mut Proof); 4] = [
            |proof| proof.sampled_values[0][2][0] += QM31::ONE,
            |proof| proof.sampled_values[0].swap(2, 3),
            |proof| proof.sampled_values[0][3].clear(),
            |proof| proof.queried_values[0][3][0] += M31::ONE,
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = made.proof.clone();
            change(&mut changed);
            assert!(verdict(true, &changed).is_err(), "lifting {lifting:?}: change {number}");
        }
    }
}

/// Proves a statement from the trace that the device makes and from the host's: the proofs are the same, and are
/// accepted.
///
/// # Panics
/// If not.
pub fn check_generated<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, air: &Arc<dyn ShippedAir>) {
    check_generated_on(Device::new(backend.clone()), air);
}

fn check_generated_on(device: Device<CircleStark>, air: &Arc<dyn ShippedAir>) {
    let options = options();
    let name = air.name();
    let prover = Prover::new(Arc::new(device), air.clone(), &options);
    let prover = prover.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(prover.generates(), "{name}: the device makes no trace");
    let made = prover.prove_generated(&Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
    let uploaded = prover.prove(&air.trace(), &Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
    let bytes = encode(&made.proof);
    assert!(bytes == encode(&uploaded.proof), "{name}: another proof than from the host's trace");
    let verdict = verify(&**air, &made.claimed_sums, &bytes, &Policy::ANY);
    verdict.unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// Proves twice, from a trace of the host and, where that is possible, one of the device, on backends that nothing else
/// has used: at most the memory that is planned is taken, and at least 98 % of it.
///
/// # Panics
/// If the plan differs from the memory taken, or there is no proof.
pub fn planned_is_measured<B: StarkBackend<P = CircleStark>>(
    make: impl Fn() -> B,
    air: &Arc<dyn ShippedAir>,
    options: &CircleOptions,
) {
    planned_is_measured_on(&|| Device::new(Arc::new(make())), air, options);
}

fn planned_is_measured_on(make: &dyn Fn() -> Device<CircleStark>, air: &Arc<dyn ShippedAir>, options: &CircleOptions) {
    let generated = [Keep::All, Keep::Sources, Keep::Halves].map(|keep| (true, keep));
    let cases = Keep::ALL.map(|keep| (false, keep)).into_iter().chain(generated);
    for (is_generated, keep) in cases {
        let backend = Arc::new(make());
        let prover = Prover::new(backend.clone(), air.clone(), options).and_then(|prover| prover.keeping(keep));
        let prover = prover.unwrap_or_else(|error| panic!("{}: {error}", air.name()));
        let (plan, generates) = (prover.plan(), prover.generates());
        let made = match is_generated {
            true if generates => prover.prove_generated(&Silent),
            true => return,
            false => prover.prove(&air.trace(), &Silent),
        };
        made.unwrap_or_else(|error| panic!("{}: {error}", air.name()));
        let planned = plan.peak_bytes.max(plan.preparation_bytes);
        let what = format!("{}, made by the device: {is_generated}, {options:?}: {plan}", air.name());
        let taken = backend.memory().expect("counted").peak;
        // The rows of a trace that is made are kept for a while; the rows of an uploaded trace need not be.
        let is_exact = is_generated || !generates;
        let is_close = (planned.saturating_sub(taken)) * 50 <= planned;
        assert!(taken <= planned && (is_close || !is_exact), "{what}: {taken} bytes taken, {planned} planned");
    }
}
