//! Proofs of the hash AIRs: accepted, but not for another root, and none of a trace that is changed.

use std::sync::Arc;

use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, Policy, encode, verify};
use field::{Field, M31};
use golden::backends::reference;
use golden::circle::air;
use gpu_hal::CircleStark;
use prover_core::Silent;
use prover_core::circle::{ProveError, Prover};

fn check(air: &Arc<dyn ShippedAir>, other: &Arc<dyn ShippedAir>, lifting: Option<u32>) {
    let backend = Arc::new(reference::<CircleStark>());
    let options =
        CircleOptions { pow_bits: 3, log_blowup: 1, queries: 5, fold_step: 2, lifting, ..CircleOptions::default() };
    let prover = Prover::new(backend.clone(), air.clone(), &options).expect("provable");
    let mut trace = air.trace();
    let made = prover.prove(&trace, &Silent).expect("a satisfied trace");
    let bytes = encode(&made.proof);
    verify(&**air, &made.claimed_sums, &bytes, &Policy::ANY).expect("a right proof");
    assert!(verify(&**other, &made.claimed_sums, &bytes, &Policy::ANY).is_err(), "{}: another root", air.name());
    trace[0][20][1] += M31::ONE;
    let error = prover.prove(&trace, &Silent).expect_err("a changed trace");
    assert!(matches!(error, ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)), "{error}");
    let root = Prover::new(backend.clone(), other.clone(), &options).expect("provable");
    assert!(matches!(root.prove(&air.trace(), &Silent), Err(ProveError::ClaimedSums(_))), "{}: root", air.name());
}

#[test]
fn poseidon2() {
    check(&air("poseidon2", 6, "s=5"), &air("poseidon2", 6, "s=6"), None);
    check(&air("poseidon2", 3, "s=5"), &air("poseidon2", 3, "s=6"), Some(6));
}

#[test]
fn rpo_m31() {
    check(&air("rpo-m31", 6, "s=5"), &air("rpo-m31", 6, "s=6"), None);
    check(&air("rpo-m31", 3, "s=5"), &air("rpo-m31", 3, "s=6"), Some(6));
}

#[test]
fn blake2s() {
    check(&air("blake2s", 7, "s=5"), &air("blake2s", 7, "s=6"), None);
}
