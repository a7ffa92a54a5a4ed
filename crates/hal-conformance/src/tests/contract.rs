//! Properties of the backend as a whole.

use std::thread;

use gpu_hal::{Operation, StarkBackend};

use crate::{Session, Single, Suite, TestProtocol, session};

/// The capabilities make sense: named, no operation twice, the ones listed that all others need, hashes iff there are
/// trees.
pub fn capabilities<P: TestProtocol>(suite: &Suite<P>) {
    let capabilities = suite.backend().capabilities();
    assert_eq!(capabilities.backend, suite.name());
    assert!(!capabilities.device.is_empty(), "the device has no name");
    let mut operations = capabilities.operations.clone();
    operations.sort();
    operations.dedup();
    assert_eq!(operations.len(), capabilities.operations.len(), "an operation is listed twice");
    for op in [Operation::Upload, Operation::Download, Operation::Sync] {
        assert!(operations.contains(&op), "every backend has {op}");
    }
    let has_trees = operations.contains(&Operation::Merkle);
    assert_eq!(has_trees, !capabilities.hashes.is_empty(), "hash functions are listed iff merkle is");
    for op in Operation::ALL.iter().copied() {
        // Panics if the backend has something that the reference cannot check.
        let state = if suite.has(op) { "tested" } else { "not listed, must be refused" };
        eprintln!("  {op}: {state}");
    }
    let in_use = suite.backend().memory().expect("memory() of a fresh backend").in_use;
    let peak = suite.backend().memory().expect("memory() of a fresh backend").peak;
    assert!(peak >= in_use, "memory: peak {peak} below in use {in_use}");
}

fn run<P: TestProtocol, B: StarkBackend<P = P>>(backend: &B, seed: u64, log_trace: u32) -> Session<B> {
    session(backend, seed, log_trace).unwrap_or_else(|error| panic!("session of seed {seed}: {error}"))
}

/// Memory is counted while tables and trees live and given back when they are dropped.
pub fn memory<P: TestProtocol>(suite: &Suite<P>) {
    let backend = suite.backend();
    let sync = || backend.sync().expect("sync");
    let info = || backend.memory().expect("memory()");
    let single = |single: Single| {
        let case = single.case(2..=6, 1..=1);
        vec![(case.seed, case.log)]
    };
    for (seed, log_trace) in suite.single().map_or_else(|| vec![(7, 2), (7, 8), (7, 11)], single) {
        // A first session may fill caches, which a backend may keep and count.
        drop(run(backend, seed, log_trace));
        sync();
        let start = info();
        let held = run(backend, seed, log_trace);
        sync();
        let during = info();
        let (bytes, counted) = (held.bytes(), during.in_use.saturating_sub(start.in_use));
        assert!(counted >= bytes, "tables of {bytes} bytes are alive, {counted} counted");
        assert!(during.peak >= during.in_use, "peak {} below in use {}", during.peak, during.in_use);
        drop(held);
        sync();
        let end = info();
        assert_eq!(end.in_use, start.in_use, "bytes in use after all tables and trees were dropped");
        assert!(end.peak >= during.peak, "the peak fell");
    }
}

/// The same calls give the same results: twice in a row, on two threads at once, and on the reference.
pub fn determinism<P: TestProtocol>(suite: &Suite<P>) {
    for (seed, log_trace) in [(1, 2), (2, 5), (3, 10)] {
        let first = run(suite.backend(), seed, log_trace).words;
        let second = run(suite.backend(), seed, log_trace).words;
        assert!(first == second, "two equal sessions of 2^{log_trace} rows differ");
        // A session uses all that its backend has, and the two together have the operations of both.
        let (here, there) = (suite.backend().capabilities(), suite.dual.capabilities());
        if here.operations == there.operations && here.hashes == there.hashes {
            let compared = run(&suite.dual, seed, log_trace).words;
            assert!(first == compared, "a session of 2^{log_trace} rows differs from one that is compared");
        }
        let together: Vec<Vec<u64>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| run(suite.backend(), seed, log_trace).words)).collect();
            threads.into_iter().map(|thread| thread.join().expect("a session on a thread of its own")).collect()
        });
        assert!(together.iter().all(|words| *words == first), "sessions on two threads at once differ");
    }
}
