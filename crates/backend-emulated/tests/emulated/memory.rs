//! The device memory of proofs agrees with the plan, at every limit, after every other proof.

use std::sync::Arc;

use air::airs::{self, ExampleAir};
use backend_emulated::{Emulated, NAME, device};
use field::Goldilocks;
use golden::goldilocks::{Cubic, example, options, planned_is_measured, prove};
use golden::runs;
use goldilocks_proof::{Seed, Suite, lambdaworks};
use gpu_hal::{ErrorKind, StarkBackend};
use prover_core::MemoryError;
use prover_core::goldilocks::{ProveError, Prover};

fn emulated() -> Emulated {
    Emulated::<Cubic>::new(NAME, device().expect("a C++ compiler")).expect("a backend")
}

fn limited(bytes: u64) -> Emulated {
    Emulated::<Cubic>::with_memory_limit(NAME, device().expect("a C++ compiler"), bytes).expect("a backend")
}

#[test]
fn the_plan_is_what_a_proof_takes() {
    // Trees that are kept whole and trees that are not; one part and two.
    let two_parts = air::airs::FibonacciRap::new(1 << 9, 300).expect("an example").with_parts(2);
    let two_parts: Arc<dyn ExampleAir<Cubic>> = Arc::new(two_parts);
    for (log_rows, blowup) in [(6, 4), (9, 8), (11, 4)] {
        for info in airs::all() {
            let options = lambdaworks::Options { blowup, ..options(Suite::Keccak256) };
            planned_is_measured(emulated(), &example(info.name, 1 << log_rows), &options);
        }
    }
    planned_is_measured(emulated(), &two_parts, &options(Suite::Keccak256));
}

/// A limit of just the plan is enough, again and again; one byte less is refused before any work.
#[test]
fn the_plan_is_enough() {
    let options = options(Suite::Poseidon2);
    for name in ["fibonacci-rap", "periodic", "read-only-memory-logup"] {
        let air = example(name, 1 << 9);
        let planned = Prover::new(Arc::new(emulated()), air.clone())
            .expect("a sound AIR")
            .plan(&options)
            .expect("a plan")
            .peak_bytes;
        let backend = Arc::new(limited(planned));
        let first = prove(&backend, &air, &options, Seed::Default).expect("enough memory");
        for _ in 0..3 {
            assert_eq!(prove(&backend, &air, &options, Seed::Default).expect("enough memory"), first);
        }
        assert!(backend.memory().expect("counted").peak <= planned);

        let backend = Arc::new(limited(planned - 1));
        match prove(&backend, &air, &options, Seed::Default) {
            Err(ProveError::Memory(MemoryError::Missing { needed, available, .. })) => {
                assert_eq!((needed, available), (planned, planned - 1))
            }
            other => panic!("{name}: {:?}", other.map(|_| "proof")),
        }
        assert_eq!(backend.memory().expect("counted").peak, 0, "nothing was done");
    }
}

/// Proofs of several sizes one after the other, in no more memory than the largest is planned to take.
#[test]
fn after_an_error_and_after_other_proofs_the_plan_is_still_enough() {
    let options = options(Suite::Keccak256);
    let (small, middle, large) =
        (example("wide", 64), example("fibonacci-rap", 1 << 9), example("fibonacci-rap", 1 << 11));
    let planned = Prover::new(Arc::new(emulated()), middle.clone())
        .expect("a sound AIR")
        .plan(&options)
        .expect("a plan")
        .peak_bytes;
    let backend = Arc::new(limited(planned));
    let expected = [&small, &middle]
        .map(|air| prove(&Arc::new(emulated()), air, &options, Seed::Default).expect("an honest trace"));
    for _ in 0..3 {
        match prove(&backend, &large, &options, Seed::Default) {
            Err(ProveError::Memory(MemoryError::Missing { needed, .. })) => assert!(needed > planned),
            other => panic!("the large proof: {:?}", other.map(|_| "proof")),
        }
        // An operation that finds no memory midway, without a plan.
        let free = planned - backend.memory().expect("counted").in_use;
        let table = vec![Goldilocks::new(1); free as usize / 8 * 5 / 8];
        let held = backend.upload(&table, table.len(), 0).expect("more than half of the memory");
        assert_eq!(backend.upload(&table, table.len(), 0).err().map(|error| error.kind), Some(ErrorKind::OutOfMemory));
        drop(held);
        assert_eq!(prove(&backend, &small, &options, Seed::Default).expect("enough memory"), expected[0]);
        assert_eq!(prove(&backend, &middle, &options, Seed::Default).expect("enough memory"), expected[1]);
    }
    assert!(backend.memory().expect("counted").peak <= planned);
}

#[test]
fn ten_proofs_are_one_and_memory_does_not_grow() {
    runs::repeated(&Arc::new(emulated()), |backend| backend.kept_bytes(), 1 << 8, 10);
}

#[test]
fn drawn_statements_operation_by_operation() {
    runs::against_the_processor(emulated(), 1, 20, 4..=9);
}
