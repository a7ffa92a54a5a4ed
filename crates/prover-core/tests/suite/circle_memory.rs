//! The device memory of Circle proofs: exactly the plan's, and no more than there is.

use std::sync::Arc;

use circle_air::airs::ShippedAir;
use circle_proof::CircleOptions;
use field::M31;
use golden::backends::{cpu, reference, reference_of};
use golden::circle::{air, options, statements};
use gpu_hal::decorate::Metered;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::{Keep, ProveError, Prover};
use prover_core::{MemoryError, Silent};

fn all_options() -> Vec<CircleOptions> {
    let base = options();
    vec![
        base,
        CircleOptions { log_blowup: 3, fold_step: 2, ..base },
        CircleOptions { fold_step: 3, log_last: 1, queries: 9, ..base },
        CircleOptions { log_blowup: 2, log_last: 2, lifting: Some(13), ..base },
    ]
}

/// Proves twice, from a trace of the host and, where that is possible, one of the device.
fn planned_is_measured<B: StarkBackend<P = CircleStark>>(make: impl Fn() -> B, air: &Arc<dyn ShippedAir>) {
    for (options, keep) in all_options().into_iter().flat_map(|options| Keep::ALL.map(|keep| (options, keep))) {
        let backend = Arc::new(make());
        let prover = Prover::new(backend.clone(), air.clone(), &options).and_then(|prover| prover.keeping(keep));
        let prover = match prover {
            Ok(prover) => prover,
            // Three row offsets on a column that is lifted.
            Err(ProveError::Config(_)) if options.lifting.is_some() => continue,
            Err(error) => panic!("{}: {error}", air.name()),
        };
        let plan = prover.plan();
        let memory = backend.memory().expect("counted");
        assert_eq!(memory.in_use, plan.kept_bytes, "{}: kept, {options:?}", air.name());
        assert_eq!(memory.peak, plan.preparation_bytes, "{}: preprocessed columns, {options:?}", air.name());
        match prover.prove(&air.trace(), &Silent) {
            Ok(_) => {}
            // All was taken by then.
            Err(ProveError::Unsorted(_)) => {}
            Err(error) => panic!("{}: {error}", air.name()),
        }
        let memory = backend.memory().expect("counted");
        let planned = plan.peak_bytes.max(plan.preparation_bytes);
        // A trace that is made may take more than one that is uploaded, whose rows need not be kept.
        let is_planned = if prover.generates() { memory.peak <= planned } else { memory.peak == planned };
        assert!(is_planned, "{}: {} bytes, {plan}, {options:?}", air.name(), memory.peak);
        assert_eq!(memory.in_use, plan.kept_bytes, "{}", air.name());
        if prover.generates() {
            prover.prove_generated(&Silent).expect("an honest trace");
            assert_eq!(backend.memory().expect("counted").peak, planned, "{}: made by the device", air.name());
        }
        drop(prover);
        assert_eq!(backend.memory().expect("counted").in_use, 0, "{}", air.name());
    }
}

#[test]
fn the_plan_is_what_a_proof_takes() {
    for air in statements(7) {
        planned_is_measured(reference::<CircleStark>, &air);
    }
}

#[test]
fn the_plan_of_the_fast_backend_is_what_a_proof_takes() {
    for air in statements(9) {
        planned_is_measured(cpu::<CircleStark>, &air);
    }
}

/// A limit of just the plan that keeps least is enough, again and again; one byte less is refused before any work.
#[test]
fn the_plan_is_enough() {
    for air in statements(6) {
        let planned = {
            let backend = Arc::new(reference::<CircleStark>());
            let planned = Keep::ALL.map(|keep| {
                let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("provable");
                let prover = prover.keeping(keep).expect("a plan");
                prover.plan().peak_bytes.max(prover.plan().preparation_bytes)
            });
            planned.into_iter().min().expect("there are plans")
        };
        let backend = Arc::new(reference_of::<CircleStark>(planned));
        let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("enough memory");
        let trace = air.trace();
        for _ in 0..2 {
            prover.prove(&trace, &Silent).expect("enough memory");
        }

        let backend = Arc::new(reference_of::<CircleStark>(planned - 1));
        match Prover::new(backend.clone(), air.clone(), &options()) {
            Err(ProveError::Memory(MemoryError::Missing { needed, available, .. })) => {
                assert_eq!((needed, available), (planned, planned - 1), "{}", air.name());
            }
            other => panic!("{}: {:?}", air.name(), other.map(|_| "a prover")),
        }
        assert_eq!(backend.memory().expect("counted").peak, 0, "{}: nothing was done", air.name());
    }
}

#[test]
fn memory_that_is_gone_by_the_time_of_a_proof_is_noticed_before_any_work() {
    let air = air("plonk", 6, "v0=3;v1=4");
    let planned = {
        let backend = Arc::new(reference::<CircleStark>());
        Prover::new(backend.clone(), air.clone(), &options()).expect("provable").plan().peak_bytes
    };
    let backend = Arc::new(Metered::new(reference_of::<CircleStark>(planned)));
    let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("enough memory");
    let held = backend.upload(&[M31::new(1)], 1, 0).expect("one element");
    backend.reset();
    match prover.prove(&air.trace(), &Silent) {
        Err(ProveError::Memory(MemoryError::Missing { needed, available, .. })) => {
            assert_eq!((needed, available), (planned, planned - 4))
        }
        other => panic!("{:?}", other.map(|_| "a proof")),
    }
    assert_eq!(backend.snapshot().total().calls, 0, "nothing was done");
    drop(held);
    prover.prove(&air.trace(), &Silent).expect("enough memory again");
}
