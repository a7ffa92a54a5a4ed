//! The larger golden proofs, by digest, on every CPU backend.

use std::sync::Arc;

use backend_cpu::Cpu;
use backend_reference::CpuReference;
use golden::goldilocks::{Cubic, check, digests};

#[test]
fn every_digest_on_the_reference() {
    let backend = Arc::new(CpuReference::<Cubic>::new());
    digests().iter().for_each(|case| check(&backend, case));
}

#[test]
fn every_digest_on_one_and_two_threads() {
    for threads in [1, 2] {
        let backend = Arc::new(Cpu::<Cubic>::with_threads(threads).expect("a thread pool"));
        digests().iter().for_each(|case| check(&backend, case));
    }
}
