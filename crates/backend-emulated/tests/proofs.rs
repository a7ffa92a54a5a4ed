//! Whole proofs on the emulator: the golden ones, and against the reference operation by operation.

mod runs;

use std::sync::Arc;

use air::airs::ExampleAir;
use backend_emulated::{Emulated, EmulatedDevice, NAME, Options, device};
use backend_reference::CpuReference;
use field::Goldilocks;
use gpu_hal::{ErrorKind, Fault, Faulty, Footprint, HashFn, Operation, StarkBackend};
use gpu_runtime::GpuProtocol;
use prover_core::ProveError;
use runs::{P, example, options, prove};

fn make<P: GpuProtocol>() -> Emulated<P> {
    Emulated::new(NAME, device().expect("a C++ compiler")).expect("a backend")
}

fn emulated() -> Arc<Emulated> {
    Arc::new(make())
}

#[test]
fn every_vector() {
    runs::golden_proofs(&emulated(), &Arc::new(make()));
}

#[test]
fn every_digest_of_up_to_four_thousand_rows() {
    runs::golden_digests(&emulated(), 4096);
}

#[test]
fn every_air_with_both_hashes_operation_by_operation() {
    runs::examples_against(CpuReference::<P>::new, make, 64);
}

#[test]
fn the_order_of_threads_changes_no_byte() {
    let proofs = [1, 0xdead_beef, u64::MAX].map(|seed| {
        let device = EmulatedDevice::new(Options { seed, ..Options::default() }).expect("a C++ compiler");
        let backend = Arc::new(Emulated::<P>::new(NAME, device).expect("a backend"));
        ["fibonacci-rap", "read-only-memory-logup"].map(|name| {
            let air = example(name, 256);
            [HashFn::Keccak256, HashFn::Poseidon2]
                .map(|hash| prove(&backend, &air, &options(hash)).expect("an honest trace"))
        })
    });
    assert!(proofs.iter().all(|other| *other == proofs[0]));
}

#[test]
fn the_device_does_every_operation() {
    let backend = emulated();
    // Auxiliary columns, and two composition parts.
    let air = air::airs::FibonacciRap::new(64, 40).map(|air| air.with_parts(2)).expect("an example");
    let air: Arc<dyn ExampleAir<P>> = Arc::new(air);
    prove(&backend, &air, &options(HashFn::Keccak256)).expect("an honest trace");
    for op in Operation::ALL {
        let launches = backend.launches(op);
        match op {
            // Host to device, device to host, and what is done when a program runs.
            Operation::Upload | Operation::Sync | Operation::Root | Operation::Prepare => {
                assert_eq!(launches, 0, "{op}")
            }
            // Of whole columns; no proof of this AIR picks columns.
            Operation::Download | Operation::Select => {}
            // Of other proofs: of lookups on a circle, and of traces that the device makes.
            Operation::Logup | Operation::Accumulate | Operation::Recurrence | Operation::Map | Operation::TreeMap => {}
            _ => assert!(launches > 0, "{op} without a launch"),
        }
    }
    let table = backend.upload(&[Goldilocks::new(5); 8], 2, 2).expect("memory");
    backend.select(&[table.as_ref()], &[(0, 1)]).expect("a copy");
    assert_eq!(backend.launches(Operation::Select), 1);
}

#[test]
fn a_fault_at_every_operation_leaves_no_memory_and_the_next_proof_is_right() {
    let air = example("read-only-memory-logup", 16);
    let options = options(HashFn::Keccak256);
    let backend = Arc::new(Faulty::new(make()));
    let expected = prove(&backend, &air, &options).expect("no fault yet");
    let operations = backend.seen();
    let idle = backend.memory().expect("counted").in_use;
    for after in 0..operations {
        backend.arm(Fault { operation: None, after, kind: ErrorKind::DeviceLost });
        match prove(&backend, &air, &options) {
            Err(ProveError::Hal(error)) => assert_eq!(error.kind, ErrorKind::DeviceLost),
            other => panic!("operation {after} failed, the prover said {:?}", other.map(|_| "proof")),
        }
        backend.disarm();
        assert_eq!(backend.memory().expect("counted").in_use, idle, "operation {after} leaves memory behind");
    }
    assert_eq!(prove(&backend, &air, &options).expect("recovered"), expected);
}

#[test]
fn a_proof_that_does_not_fit_fails_and_a_smaller_one_works() {
    let limited = |bytes| {
        let device = device().expect("a C++ compiler");
        Arc::new(Emulated::<P>::with_memory_limit(NAME, device, bytes).expect("a backend"))
    };
    let (small, large) = (example("fibonacci-rap", 32), example("fibonacci-rap", 1 << 12));
    // What the small one takes, tables that are kept included.
    let measured = limited(u64::MAX);
    let expected = prove(&measured, &small, &options(HashFn::Keccak256)).expect("memory");
    let peak = measured.memory().expect("counted").peak;
    let backend = limited(peak + 4096);
    runs::large_fails_and_small_works(&backend, &large, (&small, &expected));
    let info = backend.memory().expect("counted");
    assert!(info.peak <= peak + 4096 && info.in_use < info.peak);
    // Tables that are kept serve the next statement, too.
    let kept = backend.footprint(&Footprint::Kept { log_domain: 12 });
    assert_eq!(info.available, Some(peak + 4096 - info.in_use + kept));
}

#[test]
fn memory_is_reused_by_the_next_proof() {
    let backend = emulated();
    let air = example("fibonacci-rap", 256);
    let options = options(HashFn::Poseidon2);
    prove(&backend, &air, &options).expect("an honest trace");
    let first = backend.memory().expect("counted");
    prove(&backend, &air, &options).expect("an honest trace");
    let second = backend.memory().expect("counted");
    assert_eq!((first.in_use, first.peak), (second.in_use, second.peak));
}
