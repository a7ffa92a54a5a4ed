//! The golden Goldilocks proofs.

use std::sync::Arc;

use field::Goldilocks;
use gpu_hal::GoldilocksStark;

use crate::conformance::make;

#[test]
fn golden_proofs() {
    let cubic = make::<GoldilocksStark>(2, None).expect("two threads can be started");
    let base = make::<GoldilocksStark<Goldilocks>>(2, None).expect("two threads can be started");
    golden::goldilocks::check_vectors(&Arc::new(cubic), &Arc::new(base));
}
