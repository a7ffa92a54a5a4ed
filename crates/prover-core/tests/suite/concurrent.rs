//! Proofs at the same time on one device with too little memory for all of them.

use std::ops::ControlFlow;
use std::sync::{Arc, Barrier, mpsc};
use std::thread;

use air::airs;
use backend_cpu::CpuOptions;
use field::Goldilocks;
use goldilocks_proof::{Proof, Seed, Suite, lambdaworks};
use gpu_hal::erased::{Device, DeviceFrom};
use gpu_hal::{CircleStark, GoldilocksStark, StarkBackend};
use prover_core::{MemoryError, Observer, Phase, Silent, circle, goldilocks};

type P = GoldilocksStark;

const OPTIONS: lambdaworks::Options =
    lambdaworks::Options { blowup: 4, queries: 5, grinding: 3, coset_offset: 3, suite: Suite::Keccak256 };

fn limited<T: DeviceFrom<CpuOptions>>(bytes: u64) -> Arc<Device<T>> {
    let options = CpuOptions { memory_limit: Some(bytes), threads: Some(2), ..CpuOptions::default() };
    Arc::new(T::device(&options).expect("a thread pool"))
}

fn rows(log_rows: u32) -> Arc<dyn airs::ExampleAir<P>> {
    airs::build::<P>("fibonacci-rap", 1 << log_rows, &Default::default()).expect("an example")
}

fn planned(log_rows: u32) -> u64 {
    let prover = goldilocks::Prover::new(limited::<P>(1), rows(log_rows)).expect("a sound AIR");
    prover.plan(&OPTIONS).expect("good options").peak_bytes
}

/// Holds a proof at its first phase until the sender is gone.
struct Hold {
    begun: mpsc::Sender<()>,
    until: std::sync::Mutex<mpsc::Receiver<()>>,
}

impl<E> Observer<E> for Hold {
    fn phase(&self, phase: Phase) -> ControlFlow<()> {
        if phase == Phase::Main {
            self.begun.send(()).expect("the test listens");
            self.until.lock().expect("one thread").recv().expect_err("nothing is sent");
        }
        ControlFlow::Continue(())
    }
}

struct Refuse;

impl<E> Observer<E> for Refuse {
    fn occupied(&self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn provers_are_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<goldilocks::Prover<Device<P>>>();
    shared::<circle::Prover<Device<CircleStark>>>();
}

#[test]
fn six_proofs_where_two_fit_all_succeed() {
    let (air, other) = (rows(9), rows(8));
    let limit = 2 * planned(9) + planned(9) / 2;
    let backend = limited::<P>(limit);
    // Two statements on one backend.
    let provers = [&air, &other].map(|air| goldilocks::Prover::new(backend.clone(), air.clone()).expect("a sound AIR"));
    let (provers, traces) = (provers, [air.trace(), other.trace()]);
    let prove = |which: usize| provers[which].prove(&traces[which], &OPTIONS, Seed::Default, &Silent);
    let expected: Vec<Proof<P>> = (0..2).map(|which| prove(which).expect("one alone")).collect();
    for _ in 0..4 {
        let start = Barrier::new(6);
        thread::scope(|scope| {
            for number in 0..6 {
                let (start, prove, expected) = (&start, &prove, &expected);
                scope.spawn(move || {
                    start.wait();
                    let made = prove(number / 4).unwrap_or_else(|error| panic!("proof {number}: {error}"));
                    assert!(made == expected[number / 4], "proof {number}");
                });
            }
        });
    }
    let memory = backend.memory().expect("counted");
    assert!(memory.peak <= limit && memory.in_use == 0);
}

#[test]
fn six_circle_proofs_where_two_fit_all_succeed() {
    let (air, options) = (golden::circle::air("plonk", 8, "v0=3;v1=4"), golden::circle::options());
    let plan =
        circle::Prover::new(limited::<CircleStark>(u64::MAX), air.clone(), &options).expect("provable").plan().clone();
    let limit = plan.kept_bytes + 2 * (plan.peak_bytes - plan.kept_bytes) + plan.kept_bytes / 2;
    let backend = limited::<CircleStark>(limit);
    let prover = circle::Prover::new(backend.clone(), air.clone(), &options).expect("provable");
    let trace = air.trace();
    thread::scope(|scope| {
        for number in 0..6 {
            let (prover, trace) = (&prover, &trace);
            scope.spawn(move || prover.prove(trace, &Silent).unwrap_or_else(|error| panic!("proof {number}: {error}")));
        }
    });
    assert!(backend.memory().expect("counted").peak <= limit);
    drop(prover);
    assert_eq!(backend.memory().expect("counted").in_use, 0);
}

/// Two proofs hold their memory at their first phase, though nothing of it is taken yet.
#[test]
fn who_does_not_wait_is_refused_at_once() {
    let (air, needed) = (rows(8), planned(8));
    let limit = 2 * needed + needed / 2;
    let backend = limited::<P>(limit);
    let prover = goldilocks::Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    let trace: air::Trace<Goldilocks> = air.trace();
    let (begun, begins) = mpsc::channel();
    thread::scope(|scope| {
        let mut release = Vec::new();
        for _ in 0..2 {
            let (let_go, until) = mpsc::channel();
            release.push(let_go);
            let hold = Hold { begun: begun.clone(), until: std::sync::Mutex::new(until) };
            let (prover, trace) = (&prover, &trace);
            scope.spawn(move || prover.prove(trace, &OPTIONS, Seed::Default, &hold).expect("its memory is reserved"));
        }
        (0..2).for_each(|_| begins.recv().expect("a proof begins"));
        match prover.prove(&trace, &OPTIONS, Seed::Default, &Refuse) {
            Err(goldilocks::ProveError::Memory(error)) => {
                assert!(error.to_string().contains("other proofs"), "{error}");
                let MemoryError::Occupied { needed: wanted, available, .. } = error else { panic!("{error}") };
                assert_eq!((wanted, available), (needed, needed / 2));
            }
            other => panic!("{:?}", other.map(|_| "a proof")),
        }
        // A proof that fits beside them is made at once.
        let small = rows(4);
        let beside = goldilocks::Prover::new(backend.clone(), small.clone()).expect("a sound AIR");
        beside.prove(&small.trace(), &OPTIONS, Seed::Default, &Refuse).expect("room enough");
        drop(release);
    });
    prover.prove(&trace, &OPTIONS, Seed::Default, &Refuse).expect("all is free again");
}
