//! Whole proofs on the emulator: the golden ones, and against the reference operation by operation.

use std::sync::Arc;

use air::airs::{self, ExampleAir};
use backend_emulated::{Emulated, EmulatedDevice, NAME, Options, device};
use backend_reference::CpuReference;
use field::{ExtensionField, Fp3, Goldilocks};
use golden::goldilocks::{check, check_vectors, digests, example, options, prove};
use goldilocks_proof::{Seed, Suite};
use gpu_hal::decorate::{Dual, Fault, Faulty};
use gpu_hal::{ErrorKind, Footprint, GoldilocksStark, Operation, StarkBackend};
use hal_conformance::session;
use prover_core::MemoryError;
use prover_core::goldilocks::ProveError;

type P = GoldilocksStark;

fn emulated<E: ExtensionField<Goldilocks>>() -> Emulated<GoldilocksStark<E>> {
    Emulated::<GoldilocksStark<E>>::new(NAME, device().expect("a C++ compiler")).expect("a backend")
}

#[test]
fn every_vector() {
    check_vectors(&Arc::new(emulated::<Fp3>()), &Arc::new(emulated::<Goldilocks>()));
}

#[test]
fn every_digest_of_up_to_four_thousand_rows() {
    let backend: Arc<Emulated> = Arc::new(emulated());
    digests().iter().filter(|case| case.rows <= 4096).for_each(|case| check(&backend, case));
}

#[test]
fn every_air_with_both_hashes_operation_by_operation() {
    for info in airs::all() {
        for suite in Suite::ALL {
            let air = example(info.name, 64);
            let dual = Arc::new(Dual::new(CpuReference::<P>::new(), emulated()));
            let bytes = prove(&dual, &air, &options(suite), Seed::Default);
            let bytes = bytes.unwrap_or_else(|error| panic!("{} with {suite}: {error}", info.name));
            let expected = prove(&Arc::new(CpuReference::<P>::new()), &air, &options(suite), Seed::Default);
            assert_eq!(bytes, expected.expect("an honest trace"), "{} with {suite}", info.name);
        }
    }
}

#[test]
fn the_order_of_threads_changes_no_byte() {
    let proofs = [1, 0xdead_beef, u64::MAX].map(|seed| {
        let device = EmulatedDevice::new(Options { seed, ..Options::default() }).expect("a C++ compiler");
        let backend = Arc::new(Emulated::<GoldilocksStark>::new(NAME, device).expect("a backend"));
        ["fibonacci-rap", "read-only-memory-logup"].map(|name| {
            let air = example(name, 256);
            Suite::ALL.map(|suite| prove(&backend, &air, &options(suite), Seed::Default).expect("an honest trace"))
        })
    });
    assert!(proofs.iter().all(|other| *other == proofs[0]));
}

#[test]
fn the_device_does_every_operation() {
    let backend: Arc<Emulated> = Arc::new(emulated());
    // Auxiliary columns, and two composition parts.
    let air = air::airs::FibonacciRap::new(64, 40).map(|air| air.with_parts(2)).expect("an example");
    let air: Arc<dyn ExampleAir<P>> = Arc::new(air);
    prove(&backend, &air, &options(Suite::Keccak256), Seed::Default).expect("an honest trace");
    let of_every_proof = [
        Operation::Ntt,
        Operation::Lde,
        Operation::UploadLde,
        Operation::Split,
        Operation::Merkle,
        Operation::Open,
        Operation::Running,
        Operation::ConstraintEval,
        Operation::EvalAt,
        Operation::DeepQuotient,
        Operation::FriFold,
        Operation::Grind,
    ];
    assert!(of_every_proof.into_iter().all(|op| backend.launches(op) > 0), "an operation without a launch");
    session(&*backend, 1, 4).expect("every operation");
    for op in backend.capabilities().operations.iter().copied() {
        let launches = backend.launches(op);
        match op {
            // Uploads, downloads, and work that is done when a program runs.
            Operation::Upload | Operation::Sync | Operation::Root | Operation::Prepare => {
                assert_eq!(launches, 0, "{op}")
            }
            // Downloads of whole columns launch nothing.
            Operation::Download => {}
            _ => assert!(launches > 0, "{op} without a launch"),
        }
    }
}

#[test]
fn a_fault_at_every_operation_leaves_no_memory_and_the_next_proof_is_right() {
    let air = example("read-only-memory-logup", 16);
    let options = options(Suite::Keccak256);
    let backend = Arc::new(Faulty::new(emulated()));
    let expected = prove(&backend, &air, &options, Seed::Default).expect("no fault yet");
    let operations = backend.seen();
    let idle = backend.memory().expect("counted").in_use;
    for after in 0..operations {
        backend.arm(Fault { operation: None, after, kind: ErrorKind::DeviceLost });
        match prove(&backend, &air, &options, Seed::Default) {
            Err(ProveError::Hal(error)) => assert_eq!(error.kind, ErrorKind::DeviceLost),
            other => panic!("operation {after} failed, the prover said {:?}", other.map(|_| "proof")),
        }
        backend.disarm();
        assert_eq!(backend.memory().expect("counted").in_use, idle, "operation {after} leaves memory behind");
    }
    assert_eq!(prove(&backend, &air, &options, Seed::Default).expect("recovered"), expected);
}

#[test]
fn a_proof_that_does_not_fit_fails_and_a_smaller_one_works() {
    let limited = |bytes| {
        Emulated::<GoldilocksStark>::with_memory_limit(NAME, device().expect("a C++ compiler"), bytes)
            .expect("a backend")
    };
    let (small, large) = (example("fibonacci-rap", 32), example("fibonacci-rap", 1 << 12));
    let options = options(Suite::Keccak256);
    // The memory of the small proof, kept tables included.
    let measured = Arc::new(limited(u64::MAX));
    let expected = prove(&measured, &small, &options, Seed::Default).expect("memory");
    let peak = measured.memory().expect("counted").peak;
    let backend = Arc::new(limited(peak + 4096));
    for _ in 0..3 {
        match prove(&backend, &large, &options, Seed::Default) {
            Err(ProveError::Memory(MemoryError::Missing { .. })) => {}
            Err(ProveError::Hal(error)) => assert_eq!(error.kind, ErrorKind::OutOfMemory),
            other => panic!("the large proof: {:?}", other.map(|_| "proof")),
        }
        assert_eq!(prove(&backend, &small, &options, Seed::Default).expect("memory"), expected);
    }
    let info = backend.memory().expect("counted");
    assert!(info.peak <= peak + 4096 && info.in_use < info.peak);
    // Tables that are kept serve the next statement, too.
    let kept = backend.footprint(&Footprint::Kept { log_domain: 12 });
    assert_eq!(info.available, Some(peak + 4096 - info.in_use + kept));
}

#[test]
fn memory_is_reused_by_the_next_proof() {
    let backend: Arc<Emulated> = Arc::new(emulated());
    let air = example("fibonacci-rap", 256);
    let options = options(Suite::Poseidon2);
    prove(&backend, &air, &options, Seed::Default).expect("an honest trace");
    let first = backend.memory().expect("counted");
    prove(&backend, &air, &options, Seed::Default).expect("an honest trace");
    let second = backend.memory().expect("counted");
    assert_eq!((first.in_use, first.peak), (second.in_use, second.peak));
}
