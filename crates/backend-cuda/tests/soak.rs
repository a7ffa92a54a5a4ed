//! Long runs on the GPU, and its memory at the limit. Skipped without a device, unless
//! `POLYSTARK_REQUIRE_BACKEND=cuda`.

use std::sync::Arc;
use std::sync::{Mutex, MutexGuard};

use air::airs;
use backend_cuda::{Cuda, NAME, open};
use golden::goldilocks::{Cubic, example, options, planned_is_measured, prove};
use golden::runs;
use goldilocks_proof::{Seed, Suite, lambdaworks};
use gpu_hal::StarkBackend;
use gpu_runtime::KernelDevice;
use hal_conformance::require_or_skip;
use prover_core::MemoryError;
use prover_core::goldilocks::{ProveError, Prover};

fn cuda() -> Option<Cuda<Cubic>> {
    require_or_skip(NAME, open())
}

/// One test at a time: some take nearly all memory of the device.
fn alone() -> MutexGuard<'static, ()> {
    static DEVICE: Mutex<()> = Mutex::new(());
    DEVICE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[test]
fn a_thousand_proofs_are_one_and_memory_does_not_grow() {
    let _alone = alone();
    let Some(backend) = cuda() else { return };
    runs::repeated(&Arc::new(backend), |backend| backend.kept_bytes(), 1 << 13, 1000);
}

#[test]
fn drawn_statements_operation_by_operation() {
    let _alone = alone();
    let Some(backend) = cuda() else { return };
    runs::against_the_processor(backend, 1, 60, 10..=14);
}

#[test]
fn large_drawn_statements_operation_by_operation() {
    let _alone = alone();
    let Some(backend) = cuda() else { return };
    runs::against_the_processor(backend, 2, 10, 15..=18);
    let Some(backend) = cuda() else { return };
    runs::against_the_processor(backend, 3, 1, 20..=20);
}

#[test]
fn the_plan_is_what_a_proof_takes() {
    let _alone = alone();
    for info in airs::all() {
        for (log_rows, blowup) in [(10, 4), (16, 8)] {
            let Some(backend) = cuda() else { return };
            let options = lambdaworks::Options { blowup, ..options(Suite::Keccak256) };
            planned_is_measured(backend, &example(info.name, 1 << log_rows), &options);
        }
    }
}

/// With no more memory than the plan, proofs of other sizes in between.
#[test]
fn a_full_device_has_room_for_what_is_planned() {
    let _alone = alone();
    let Some(backend) = cuda().map(Arc::new) else { return };
    let options = options(Suite::Poseidon2);
    let statements =
        [("fibonacci-rap", 19), ("wide", 15), ("read-only-memory-logup", 17), ("periodic", 18), ("bit-flags", 16)];
    let statements = statements.map(|(name, log)| example(name, 1 << log));
    let expected =
        statements.each_ref().map(|air| prove(&backend, air, &options, Seed::Default).expect("a free device"));
    let planned = Prover::new(backend.clone(), statements[0].clone())
        .expect("a sound AIR")
        .plan(&options)
        .expect("a plan")
        .peak_bytes;
    backend.trim();
    let free = backend.memory().expect("counted").available.expect("the driver knows");
    let _held = backend.device().alloc(free - planned).expect("memory that is free");
    for _ in 0..3 {
        for (air, expected) in statements.iter().zip(&expected) {
            assert!(prove(&backend, air, &options, Seed::Default).expect("as much memory as planned") == *expected);
        }
        let large = example("fibonacci-rap", 1 << 23);
        match prove(&backend, &large, &options, Seed::Default) {
            Err(ProveError::Memory(MemoryError::Missing { needed, available, .. })) => assert!(needed > available),
            other => panic!("eight gigabytes of one: {:?}", other.map(|_| "proof")),
        }
    }
}
