//! Whole proofs on the toy.

use std::sync::Arc;

use air::airs;
use backend_reference::CpuReference;
use golden::{circle, goldilocks};
use goldilocks_proof::{Seed, Suite};
use gpu_hal::decorate::Dual;
use gpu_hal::{CircleStark, ErrorKind, GoldilocksStark, StarkBackend};
use prover_core::goldilocks::ProveError;
use prover_core::{MemoryError, Silent};
use toy_backend::{Toy, ToyProtocol};

/// A toy of 1 GiB.
fn toy<P: ToyProtocol>() -> Arc<Toy<P>> {
    Arc::new(Toy::new(1 << 30))
}

#[test]
fn goldilocks_proofs_are_the_golden_ones() {
    goldilocks::check_vectors(&toy(), &toy());
}

#[test]
fn circle_proofs_are_the_golden_ones() {
    circle::proofs().iter().for_each(|case| circle::check(&toy(), case));
}

#[test]
fn goldilocks_proofs_of_every_air_equal_the_references() {
    for info in airs::all() {
        // Every operation of the proof is compared, so a difference would name the operation, not only the proof.
        let both = Arc::new(Dual::new(Toy::new(1 << 30), CpuReference::<GoldilocksStark>::new()));
        let air = goldilocks::example(info.name, 32);
        let proof = goldilocks::prove(&both, &air, &goldilocks::options(Suite::Keccak256), Seed::Default);
        proof.unwrap_or_else(|error| panic!("{}: {error}", info.name));
    }
}

#[test]
fn circle_proofs_of_every_air_equal_the_references() {
    for air in circle::statements(5) {
        let both = Arc::new(Dual::new(Toy::new(1 << 30), CpuReference::<CircleStark>::new()));
        let prover = prover_core::circle::Prover::new(both, air.clone(), &circle::options());
        let prover = prover.unwrap_or_else(|error| panic!("{}: {error}", air.name()));
        let made = prover.prove(&air.trace(), &Silent).unwrap_or_else(|error| panic!("{}: {error}", air.name()));
        let bytes = circle_proof::encode(&made.proof);
        circle_proof::verify(&*air, &made.claimed_sums, &bytes, &circle_proof::Policy::ANY)
            .unwrap_or_else(|error| panic!("{}: {error}", air.name()));
    }
}

#[test]
fn proofs_take_the_memory_that_is_planned() {
    let options = goldilocks::options(Suite::Keccak256);
    goldilocks::planned_is_measured(Toy::new(1 << 30), &goldilocks::example("fibonacci-rap", 256), &options);
    for air in circle::statements(5) {
        circle::planned_is_measured(|| Toy::new(1 << 30), &air, &circle::options());
    }
}

#[test]
fn what_it_does_not_have_is_an_error_and_no_other_device_steps_in() {
    let (toy, air) = (toy(), goldilocks::example("fibonacci-rap", 32));
    match goldilocks::prove(&toy, &air, &goldilocks::options(Suite::Poseidon2), Seed::Default) {
        Err(ProveError::Hal(error)) => assert_eq!(error.kind, ErrorKind::Unsupported, "{error}"),
        other => panic!("Poseidon2 on a device without it: {other:?}"),
    }
    assert_eq!(toy.memory().expect("memory()").in_use, 0);
}

#[test]
fn a_small_device_refuses_a_proof_before_any_work() {
    let (small, air) = (Arc::new(Toy::new(1000)), goldilocks::example("fibonacci-rap", 32));
    let proof = goldilocks::prove(&small, &air, &goldilocks::options(Suite::Keccak256), Seed::Default);
    assert!(matches!(proof, Err(ProveError::Memory(MemoryError::Missing { available: 1000, .. }))), "{proof:?}");
    let memory = small.memory().expect("memory()");
    assert_eq!((memory.in_use, memory.peak), (0, 0));
}
