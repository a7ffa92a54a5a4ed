//! Proofs that are stopped at every phase: a typed error, and the backend is as before.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use air::{Air, AirBuilder, Layout, Rows, Trace, airs};
use field::{Field, Goldilocks};
use golden::backends::{cpu_of, reference};
use goldilocks_proof::{Seed, Suite, lambdaworks};
use gpu_hal::{CircleStark, GoldilocksStark, StarkBackend};
use prover_core::{Cancelled, Observer, Phase, Silent, circle, goldilocks};

type P = GoldilocksStark;

/// Stops a proof at a phase.
struct StopAt {
    phase: Phase,
    seen: RefCell<Vec<Phase>>,
}

impl StopAt {
    fn new(phase: Phase) -> Self {
        Self { phase, seen: RefCell::default() }
    }

    /// The phases up to this one began, in order, and none after it.
    fn check(self) {
        let seen = self.seen.into_inner();
        assert_eq!(seen, Phase::OF_STATEMENTS[..=seen.len() - 1]);
        assert_eq!(seen.last(), Some(&self.phase));
    }
}

impl<E> Observer<E> for StopAt {
    fn phase(&self, phase: Phase) -> ControlFlow<()> {
        self.seen.borrow_mut().push(phase);
        if phase == self.phase { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_goldilocks_proof_is_stopped_at_every_phase() {
    let air = airs::build::<P>("fibonacci-rap", 32, &BTreeMap::new()).expect("an example");
    let options = lambdaworks::Options { blowup: 4, queries: 5, grinding: 3, coset_offset: 3, suite: Suite::Keccak256 };
    let backend = Arc::new(reference::<P>());
    let prover = goldilocks::Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    let trace = air.trace();
    let expected = prover.prove(&trace, &options, Seed::Default, &Silent).expect("an honest trace");
    for phase in Phase::OF_STATEMENTS {
        let stop = StopAt::new(phase);
        match prover.prove(&trace, &options, Seed::Default, &stop) {
            Err(goldilocks::ProveError::Cancelled(Cancelled { phase: at })) => assert_eq!(at, phase),
            other => panic!("{phase}: {:?}", other.map(|_| "a proof")),
        }
        stop.check();
        assert_eq!(backend.memory().expect("counted").in_use, 0, "{phase}");
        let again = prover.prove(&trace, &options, Seed::Default, &Silent).expect("the prover can be used again");
        assert!(again == expected, "after {phase}");
    }
}

#[test]
fn a_circle_proof_is_stopped_at_every_phase() {
    let air = golden::circle::air("plonk", 4, "v0=3;v1=4");
    let backend = Arc::new(reference::<CircleStark>());
    let prover = circle::Prover::new(backend.clone(), air.clone(), &golden::circle::options()).expect("provable");
    let trace = air.trace();
    let prove = || prover.prove(&trace, &Silent).map(|made| circle_proof::encode(&made.proof));
    let expected = prove().expect("an honest trace");
    for phase in Phase::OF_STATEMENTS {
        let stop = StopAt::new(phase);
        match prover.prove(&trace, &stop) {
            Err(circle::ProveError::Cancelled(Cancelled { phase: at })) => assert_eq!(at, phase),
            other => panic!("{phase}: {:?}", other.map(|_| "a proof")),
        }
        stop.check();
        assert_eq!(backend.memory().expect("counted").in_use, prover.plan().kept_bytes, "{phase}");
        assert!(prove().expect("the prover can be used again") == expected, "after {phase}");
    }
}

/// Stops a proof while a phase lasts.
struct StopWithin(Phase);

impl<E> Observer<E> for StopWithin {
    fn goes_on(&self, phase: Phase) -> ControlFlow<()> {
        if phase == self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn phases_that_last_are_stopped_within() {
    let air = airs::build::<P>("fibonacci-rap", 32, &BTreeMap::new()).expect("an example");
    // Nobody waits for this many hashes.
    let options =
        lambdaworks::Options { blowup: 4, queries: 5, grinding: 64, coset_offset: 3, suite: Suite::Keccak256 };
    let backend = Arc::new(reference::<P>());
    let prover = goldilocks::Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    for phase in [Phase::Fri, Phase::Grinding] {
        match prover.prove(&air.trace(), &options, Seed::Default, &StopWithin(phase)) {
            Err(goldilocks::ProveError::Cancelled(Cancelled { phase: at })) => assert_eq!(at, phase),
            other => panic!("{phase}: {:?}", other.map(|_| "a proof")),
        }
        assert_eq!(backend.memory().expect("counted").in_use, 0, "{phase}");
    }
    let air = golden::circle::air("plonk", 4, "v0=3;v1=4");
    let backend = Arc::new(reference::<CircleStark>());
    let prover = circle::Prover::new(backend.clone(), air.clone(), &golden::circle::options()).expect("provable");
    for phase in [Phase::Main, Phase::Auxiliary, Phase::Composition, Phase::Fri, Phase::Grinding] {
        match prover.prove(&air.trace(), &StopWithin(phase)) {
            Err(circle::ProveError::Cancelled(Cancelled { phase: at })) => assert_eq!(at, phase),
            other => panic!("{phase}: {:?}", other.map(|_| "a proof")),
        }
        assert_eq!(backend.memory().expect("counted").in_use, prover.plan().kept_bytes, "{phase}");
    }
}

/// One column, and a constraint of enough products that a processor takes minutes for all of its rows.
struct Dear;

impl Dear {
    const LOG_ROWS: u32 = 17;
    const PRODUCTS: u64 = 1 << 16;
}

impl Air<P> for Dear {
    fn name(&self) -> &str {
        "dear"
    }

    fn log_trace_length(&self) -> u32 {
        Self::LOG_ROWS
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts: 1 }
    }

    fn define(&self, b: &AirBuilder<P>) {
        let mut sum = b.main(0, 1);
        for number in 0..Self::PRODUCTS {
            let shift = b.constant(Goldilocks::new(number));
            sum = sum + (b.main(0, 0) + shift) * (b.main(0, 1) - shift);
        }
        b.transition(sum, Rows::all());
    }
}

#[test]
fn an_operation_that_takes_minutes_is_stopped_at_work() {
    let backend = Arc::new(cpu_of::<P>(1));
    let prover = goldilocks::Prover::new(backend.clone(), Arc::new(Dear)).expect("a sound AIR");
    let options = lambdaworks::Options { blowup: 4, queries: 5, grinding: 0, coset_offset: 3, suite: Suite::Keccak256 };
    let trace = Trace::from_columns(vec![vec![Goldilocks::ONE; 1 << Dear::LOG_ROWS]]).expect("one column");
    // The phase is one call of the backend for the constraints, and ends, when they are evaluated, without a look at
    // the observer.
    let begun = Instant::now();
    match prover.prove(&trace, &options, Seed::Default, &StopWithin(Phase::Composition)) {
        Err(goldilocks::ProveError::Cancelled(Cancelled { phase: at })) => assert_eq!(at, Phase::Composition),
        other => panic!("{:?}", other.map(|_| "a proof")),
    }
    // Far less than all rows take, and far more than a busy machine takes until it is stopped.
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert_eq!(backend.memory().expect("counted").in_use, 0);
    let air = airs::build::<P>("fibonacci-rap", 32, &BTreeMap::new()).expect("an example");
    let next = goldilocks::Prover::new(backend, air.clone()).expect("a sound AIR");
    next.prove(&air.trace(), &options, Seed::Default, &Silent).expect("the backend can be used again");
}

/// Panics while a phase lasts.
struct PanicAt(Phase);

impl<E> Observer<E> for PanicAt {
    fn phase(&self, phase: Phase) -> ControlFlow<()> {
        assert!(phase != self.0, "on purpose");
        ControlFlow::Continue(())
    }
}

#[test]
fn an_observer_that_panics_ends_the_proof() {
    let air = airs::build::<P>("fibonacci-rap", 32, &BTreeMap::new()).expect("an example");
    let options = lambdaworks::Options { blowup: 4, queries: 5, grinding: 1, coset_offset: 3, suite: Suite::Keccak256 };
    let backend = Arc::new(cpu_of::<P>(1));
    let prover = goldilocks::Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    for phase in Phase::OF_STATEMENTS {
        let proof = catch_unwind(AssertUnwindSafe(|| {
            prover.prove(&air.trace(), &options, Seed::Default, &PanicAt(phase)).map(drop)
        }));
        let said = proof.expect_err("the observer's panic");
        assert!(said.downcast_ref::<&str>().is_some_and(|said| *said == "on purpose"), "{phase}");
        assert_eq!(backend.memory().expect("counted").in_use, 0, "{phase}");
    }
    prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("the backend can be used again");
}

/// A flag is of one proof: others on the same threads go on, unchanged.
#[test]
fn a_proof_beside_one_that_is_stopped_is_the_same() {
    let backend = Arc::new(cpu_of::<P>(2));
    let options = lambdaworks::Options { blowup: 4, queries: 5, grinding: 3, coset_offset: 3, suite: Suite::Keccak256 };
    let air = airs::build::<P>("fibonacci-rap", 1 << 12, &BTreeMap::new()).expect("an example");
    let prover = goldilocks::Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    let trace = air.trace();
    let prove = || prover.prove(&trace, &options, Seed::Default, &Silent).expect("an honest trace");
    let expected = prove();
    let dear = goldilocks::Prover::new(backend, Arc::new(Dear)).expect("a sound AIR");
    let column = Trace::from_columns(vec![vec![Goldilocks::ONE; 1 << Dear::LOG_ROWS]]).expect("one column");
    std::thread::scope(|scope| {
        let stopped = scope.spawn(|| {
            for phase in [Phase::Composition; 3] {
                let stopped = dear.prove(&column, &options, Seed::Default, &StopWithin(phase));
                assert!(matches!(stopped, Err(goldilocks::ProveError::Cancelled(_))), "{phase}");
            }
        });
        while !stopped.is_finished() {
            assert!(prove() == expected, "another proof was stopped");
        }
        stopped.join().expect("no panic");
    });
}
