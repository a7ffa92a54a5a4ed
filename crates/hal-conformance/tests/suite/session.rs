//! Every operation of the fast backend once, on the smallest tables: few enough steps for Miri, under which
//! `cargo xtask miri` looks for undefined behaviour in the one crate that has unsafe code on plain memory.
//! docs/testing.md says which tests it runs.

use backend_cpu::{Cpu, CpuOptions, CpuProtocol, SimdLevel};
use gpu_hal::{Basis, CircleStark, EvalOrder, GoldilocksStark, LeafLayout, StarkBackend};
use hal_conformance::{Random, TestProtocol, session};

/// One thread and portable code, of which Miri knows every instruction.
fn backend<P: TestProtocol + CpuProtocol>() -> Cpu<P> {
    let options = CpuOptions {
        threads: Some(1),
        simd: Some(SimdLevel::Portable),
        memory_limit: Some(1 << 26),
        ..CpuOptions::default()
    };
    Cpu::with_options(&options).expect("a thread")
}

/// The results are compared with the reference by the backend's own tests; under Miri the reference alone would take
/// minutes.
fn every_operation<P: TestProtocol + CpuProtocol>(log_trace: u32) {
    let session = session::<P, _>(&backend::<P>(), 1, log_trace).expect("the backend does all that it lists");
    assert!(!session.tables.is_empty() && !session.trees.is_empty());
}

/// A column long enough for the passes of a transform, to coefficients and back.
fn transforms<P: TestProtocol + CpuProtocol>(log_size: u32) {
    let (backend, random) = (backend::<P>(), &mut Random::new(2));
    let rows = Basis::Evaluations { domain: P::trace_domain(random, log_size), order: EvalOrder::Row };
    let elements = random.elements(1 << log_size);
    let mut column = backend.upload(&elements, 1, log_size).expect("canonical elements");
    backend.ntt(column.as_mut(), rows, Basis::Coefficients).expect("a domain of the protocol");
    assert_ne!(backend.download(column.as_ref(), 0..1 << log_size).expect("all rows"), elements);
    backend.ntt(column.as_mut(), Basis::Coefficients, rows).expect("a domain of the protocol");
    assert_eq!(backend.download(column.as_ref(), 0..1 << log_size).expect("all rows"), elements);
}

/// Trees of `2^log_leaves` leaves of one row and of four; a session's trees have leaves of two.
fn trees<P: TestProtocol + CpuProtocol>(log_leaves: u32) {
    let (backend, random) = (backend::<P>(), &mut Random::new(3));
    for log_rows in [0, 2] {
        let log_size = log_leaves + log_rows;
        let column = backend.upload(&random.elements(1 << log_size), 1, log_size).expect("canonical elements");
        for hash in backend.capabilities().hashes.clone() {
            let tree = backend.merkle(&[column.as_ref()], LeafLayout::new(1 << log_rows), hash).expect("a column");
            assert_ne!(backend.root(&tree).expect("a tree"), [0; 32]);
        }
    }
}

#[test]
fn goldilocks() {
    every_operation::<GoldilocksStark>(2);
}

/// Registers of the circle have 16 lanes: the extended trace fills two of them.
#[test]
fn circle() {
    every_operation::<CircleStark>(3);
}

#[test]
fn goldilocks_transforms() {
    transforms::<GoldilocksStark>(7);
}

#[test]
fn circle_transforms() {
    transforms::<CircleStark>(9);
}

#[test]
fn goldilocks_trees() {
    trees::<GoldilocksStark>(3);
}

#[test]
fn circle_trees() {
    trees::<CircleStark>(4);
}
