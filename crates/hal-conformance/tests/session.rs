//! Every operation of the fast backend once, next to the reference, on the smallest traces: small enough for Miri, under which
//! `cargo xtask miri` runs it for undefined behaviour in the one crate that has unsafe code on plain memory.

use backend_cpu::{Cpu, CpuOptions, CpuProtocol, SimdLevel};
use gpu_hal::{CircleStark, Dual, GoldilocksStark, StarkBackend};
use hal_conformance::{TestProtocol, session};

/// One thread and portable code, of which Miri knows every instruction.
fn every_operation<P: TestProtocol + CpuProtocol>()
where
    Cpu<P>: StarkBackend<P = P>,
{
    let options = CpuOptions { threads: Some(1), simd: Some(SimdLevel::Portable), memory_limit: None };
    let dual = Dual::new(Cpu::<P>::with_options(&options).expect("a thread"), P::reference());
    let session = session::<P, _>(&dual, 1, P::MIN_LOG.max(2)).expect("both backends give the same");
    assert!(!session.tables.is_empty() && !session.trees.is_empty());
}

#[test]
fn goldilocks() {
    every_operation::<GoldilocksStark>();
}

#[test]
fn circle() {
    every_operation::<CircleStark>();
}
