//! Rehearsals: the very operations of a proof, in no memory, however large the statement.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs;
use golden::backends::{cpu, reference, reference_of};
use golden::circle::air;
use golden::runs::{rehearsed, rehearsed_circle};
use goldilocks_proof::{Suite, lambdaworks};
use gpu_hal::decorate::Metered;
use gpu_hal::rehearsal::Rehearsal;
use gpu_hal::{CircleStark, GoldilocksStark, Operation, StarkBackend};
use prover_core::{MemoryError, circle, goldilocks};

type P = GoldilocksStark;

const OPTIONS: lambdaworks::Options =
    lambdaworks::Options { blowup: 8, queries: 5, grinding: 3, coset_offset: 3, suite: Suite::Keccak256 };

/// A step is one request: the provers ask for all openings, and all sums, in one call.
fn counted(rehearsal: &Rehearsal) -> BTreeMap<Operation, u64> {
    let mut counts = BTreeMap::new();
    for operation in rehearsal.steps.iter().map(|step| step.operation) {
        let count = counts.entry(operation).or_insert(0);
        match operation {
            Operation::EvalAt | Operation::Running => *count = 1,
            _ => *count += 1,
        }
    }
    counts
}

fn metered<B: StarkBackend>(backend: &Metered<B>) -> BTreeMap<Operation, u64> {
    let meter = backend.snapshot();
    meter.operations.iter().map(|(operation, count)| (*operation, count.calls)).collect()
}

#[test]
fn the_steps_are_those_of_a_goldilocks_proof() {
    rehearsed(reference::<P>, &OPTIONS, |rehearsal, backend, kept, what| {
        assert_eq!(counted(rehearsal), metered(backend), "{what}");
        assert_eq!(rehearsal.live_bytes, kept, "{what}");
    });
}

#[test]
fn the_steps_are_those_of_a_circle_proof() {
    rehearsed_circle(reference::<CircleStark>, 6, |rehearsal, backend, kept, what| {
        let (mut expected, found) = (counted(rehearsal), metered(backend));
        if !found.contains_key(&Operation::Open) {
            expected.remove(&Operation::Open);
        }
        assert_eq!(expected, found, "{what}");
        assert_eq!(rehearsal.live_bytes, kept, "{what}");
    });
}

/// One column of 2^28 rows is two gigabytes: none is made, and a rehearsal has a few steps for each level of the
/// domain.
#[test]
fn a_plan_of_many_rows_takes_no_memory() {
    let params = |name: &str| match name {
        "wide" => [("width".to_owned(), 30), ("degree".to_owned(), 3)].into(),
        _ => BTreeMap::new(),
    };
    for name in ["fibonacci-rap", "periodic", "wide", "quadratic"] {
        let air = airs::build::<P>(name, 1 << 28, &params(name)).expect("an example");
        let backend = Arc::new(cpu::<P>());
        let prover = goldilocks::Prover::new(backend.clone(), air).expect("a sound AIR");
        let plan = prover.plan(&OPTIONS).expect("good options");
        assert!(plan.peak_bytes > 8 << 31, "{name}: {plan}");
        let steps = prover.rehearse(&OPTIONS, false).expect("good options").steps.len();
        assert!(steps < 10 * plan.log_lde as usize, "{name}: {steps} steps");
        let memory = backend.memory().expect("counted");
        assert!(memory.peak < 1 << 20, "{name}: {} bytes taken", memory.peak);
    }
    let (large, options) = (air("fibonacci", 24, "a=1;b=1"), golden::circle::options());
    // Too large for the limit, which is found before the preprocessed columns are made.
    let limited = Arc::new(reference_of::<CircleStark>(1 << 20));
    match circle::Prover::new(limited.clone(), large, &options) {
        Err(circle::ProveError::Memory(MemoryError::Missing { needed, available, .. })) => {
            assert!(available == 1 << 20 && needed > 1 << 27)
        }
        other => panic!("{:?}", other.map(|_| "a prover")),
    }
    assert_eq!(limited.memory().expect("counted").peak, 0);
}
