//! Whole proofs of both protocols through the encoder and the kernels in Metal's dialect: byte for byte the golden
//! vectors.

use std::sync::Arc;

use crate::mock::{Faults, options};
use field::{Fp3, Goldilocks};
use gpu_hal::{CircleStark, GoldilocksStark};

#[test]
fn every_goldilocks_vector() {
    let cubic = crate::mock::backend::<GoldilocksStark<Fp3>>(options(0), Faults::default()).expect("a C++ compiler");
    let base =
        crate::mock::backend::<GoldilocksStark<Goldilocks>>(options(0), Faults::default()).expect("a C++ compiler");
    let cubic = Arc::new(cubic);
    golden::goldilocks::check_vectors(&cubic, &Arc::new(base));
    let summary = cubic.device().layer().summary();
    // Many dispatches a command buffer.
    assert!(summary.dispatches > 2 * summary.command_buffers, "{summary:?}");
}

#[test]
fn every_circle_vector() {
    let backend = Arc::new(crate::mock::backend::<CircleStark>(options(0), Faults::default()).expect("a C++ compiler"));
    golden::circle::proofs().iter().for_each(|case| golden::circle::check(&backend, case));
}

#[test]
fn circle_vectors_by_generated_kernels() {
    let backend =
        Arc::new(crate::mock::backend::<CircleStark>(options(4_000), Faults::default()).expect("a C++ compiler"));
    let cases = golden::circle::proofs();
    for name in ["fibonacci", "plonk"] {
        let case = cases.iter().find(|case| case.name.starts_with(name)).expect("a golden proof of every AIR");
        golden::circle::check(&backend, case);
    }
}
