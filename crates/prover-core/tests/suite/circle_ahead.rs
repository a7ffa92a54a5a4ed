//! Preprocessed columns that are committed to before a statement is known: the proofs are the same, the memory is the
//! planned one, and columns that are in the way are given back.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use circle_air::Statement;
use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, encode};
use field::{Field, M31};
use golden::backends::{reference, reference_of};
use golden::circle::{air, options};
use golden::statements::Changed;
use gpu_hal::decorate::{Fault, Faulty};
use gpu_hal::erased::Device;
use gpu_hal::{CircleStark, ErrorKind, EvalOrder, StarkBackend};
use prover_core::circle::{GivenColumns, PreprocessedAhead, PreprocessedColumns, ProveError, Prover};
use prover_core::{MemoryError, Silent};

use crate::circle_made::Given;

type Reference = Device<CircleStark>;

fn example() -> Arc<dyn ShippedAir> {
    air("plonk", 5, "v0=3;v1=4")
}

fn statement(air: &Arc<dyn ShippedAir>) -> Changed {
    Changed::new(air.clone()).in_order(EvalOrder::Storage)
}

fn commit<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    air: &Arc<dyn ShippedAir>,
    options: &CircleOptions,
    most: u64,
) -> Result<Option<PreprocessedAhead<B>>, ProveError> {
    let statement = statement(air);
    let (declared, order) = (statement.preprocessed(None), statement.order());
    let columns = PreprocessedColumns { declared, order, values: &|| statement.preprocessed_values(None) };
    PreprocessedAhead::new(backend, &columns, options, most)
}

fn ahead<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, air: &Arc<dyn ShippedAir>) -> PreprocessedAhead<B> {
    commit(backend, air, &options(), u64::MAX).expect("no fault").expect("there is room")
}

fn prover<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    ahead: Option<PreprocessedAhead<B>>,
) -> Result<Prover<B, Given>, ProveError> {
    let (statement, given) = (statement(&example()), ahead.map(GivenColumns::Ahead));
    let maker = Given(statement.trace());
    Prover::with_columns(backend.clone(), Arc::new(statement), &options(), maker, given)
}

fn proof<B: StarkBackend<P = CircleStark>>(prover: &Prover<B, Given>) -> Vec<u8> {
    encode(&prover.prove_made(&Silent).expect("an honest trace").proof)
}

fn in_use<B: StarkBackend>(backend: &Arc<B>) -> u64 {
    backend.memory().expect("counted").in_use
}

/// The plan's need before anything is made, and the proof.
fn expected() -> (u64, Vec<u8>) {
    let prover = prover(&Arc::new(reference::<CircleStark>()), None).expect("provable");
    (prover.plan().peak_bytes.max(prover.plan().preparation_bytes), proof(&prover))
}

#[test]
fn columns_that_are_there_are_taken_as_they_are() {
    let (most, expected) = expected();
    // With no more memory than a proof takes that makes them itself.
    let backend = Arc::new(reference_of::<CircleStark>(most));
    let ahead = ahead(&backend, &example());
    let held = in_use(&backend);
    let prover = prover(&backend, Some(ahead)).expect("provable");
    assert!(held > 0 && in_use(&backend) == prover.plan().kept_bytes);
    assert!(proof(&prover) == expected);
    assert_eq!(backend.memory().expect("counted").peak, most);
    drop(prover);
    assert_eq!(in_use(&backend), 0);
    // The promise was the columns': all of the memory is free again.
    assert!(backend.budget().reserve(most, || Ok(Some(most)), || ControlFlow::Break(())).is_ok());
}

#[test]
fn columns_of_others_are_given_back() {
    let (most, expected) = expected();
    let backend = Arc::new(reference::<CircleStark>());
    let other = ahead(&backend, &air("plonk", 6, "v0=3;v1=4"));
    let prover = prover(&backend, Some(other)).expect("provable");
    assert_eq!(in_use(&backend), prover.plan().kept_bytes);
    assert!(proof(&prover) == expected);
    assert_eq!(prover.plan().peak_bytes.max(prover.plan().preparation_bytes), most);
}

/// A proof that finds the memory taken would wait for ever for one that waits for what it holds itself.
#[test]
fn columns_are_given_back_where_others_hold_the_memory() {
    let (most, expected) = expected();
    let backend = Arc::new(reference_of::<CircleStark>(most + 1));
    let ahead = ahead(&backend, &example());
    let held = in_use(&backend);
    let other = backend.budget().reserve(2, || Ok(Some(most + 1 - held)), || ControlFlow::Break(())).expect("room");
    thread::scope(|scope| {
        let waiting = scope.spawn(|| prover(&backend, Some(ahead)).map(|prover| proof(&prover)));
        let begun = Instant::now();
        while in_use(&backend) > 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "the columns are held");
            thread::yield_now();
        }
        drop(other);
        assert!(waiting.join().expect("no panic").expect("provable") == expected);
    });
}

/// A run takes memory of the host, and is promised none: what fits beside it is chosen.
#[test]
fn memory_that_is_taken_since_does_not_count_as_room() {
    let (most, expected) = expected();
    let backend = Arc::new(reference_of::<CircleStark>(most));
    let ahead = ahead(&backend, &example());
    let taken = backend.upload(&[M31::ZERO; 2], 1, 1).expect("there is room");
    let planned = |ahead| {
        let prover = prover(&backend, ahead).expect("a cheaper proof fits");
        assert!(proof(&prover) == expected);
        prover.plan().clone()
    };
    let plan = planned(Some(ahead));
    assert!(plan.peak_bytes.max(plan.preparation_bytes) < most);
    assert_eq!(plan, planned(None));
    drop(taken);
    assert_eq!(in_use(&backend), 0);
}

#[test]
fn nothing_is_made_where_a_plan_would_be_refused() {
    let none = |backend: &Arc<Reference>, options: &CircleOptions, most: u64| {
        let made = commit(backend, &example(), options, most).expect("no fault");
        made.is_none() && in_use(backend) == 0
    };
    let large = Arc::new(reference::<CircleStark>());
    let bytes = {
        let _ahead = ahead(&large, &example());
        in_use(&large)
    };
    assert!(none(&large, &options(), bytes - 1) && !none(&large, &options(), bytes));
    assert!(none(&large, &CircleOptions { log_blowup: 0, ..options() }, u64::MAX));
    assert!(none(&large, &CircleOptions { lifting: Some(4), ..options() }, u64::MAX));
    // A proof takes more than the columns.
    let refused = |memory: u64| {
        let small = Arc::new(reference_of(memory));
        let made = commit(&small, &example(), &options(), u64::MAX).expect("no fault");
        let is_made = made.is_some();
        let refused = match prover(&small, made) {
            Err(ProveError::Memory(MemoryError::Missing { needed, available, .. })) => (needed, available),
            other => panic!("{:?}", other.map(|_| "a prover")),
        };
        assert_eq!(in_use(&small), 0);
        (is_made, refused)
    };
    let (is_made, (least, available)) = refused(bytes - 1);
    assert!(!is_made && available == bytes - 1 && least > bytes);
    assert_eq!(refused(least - 1), (true, (least, least - 1)));
    // One that keeps less than all is chosen by the same room as without such columns.
    let chosen = |ahead: bool| {
        let small = Arc::new(reference_of(least));
        let made = commit(&small, &example(), &options(), u64::MAX).expect("no fault");
        prover(&small, made.filter(|_| ahead)).expect("there is room").plan().clone()
    };
    assert_eq!(chosen(true), chosen(false));
}

#[test]
fn a_fault_is_an_error_and_leaves_nothing() {
    let (_, expected) = expected();
    for kind in [ErrorKind::Backend, ErrorKind::OutOfMemory] {
        for after in 0.. {
            let backend = Arc::new(Faulty::new(reference::<CircleStark>()));
            backend.arm(Fault { operation: None, after, kind });
            let made = commit(&backend, &example(), &options(), u64::MAX);
            if backend.is_armed() {
                assert!(after > 2 && made.is_ok_and(|made| made.is_some()));
                break;
            }
            match made {
                Ok(made) => assert!(made.is_none() && kind == ErrorKind::OutOfMemory),
                Err(ProveError::Hal(error)) => assert_eq!(error.kind, kind),
                Err(error) => panic!("{error}"),
            }
            assert_eq!(in_use(&backend), 0, "after {after}");
            let prover = prover(&backend, None).expect("the backend works");
            assert!(proof(&prover) == expected);
        }
    }
}
