//! The fast backend as a value: golden proofs of both protocols. The suite that any backend must pass takes all backends as values.

use std::sync::Arc;

use field::Goldilocks;
use gpu_hal::erased::Device;
use gpu_hal::{CircleStark, GoldilocksStark, Result, StarkBackend};

use crate::conformance::make;

fn erased<B: StarkBackend>(backend: Result<B>) -> Result<Device<B::P>> {
    Ok(Device::new(Arc::new(backend?)))
}

#[test]
fn golden_proofs_of_goldilocks() {
    let cubic = erased(make::<GoldilocksStark>(2, None)).expect("two threads can be started");
    let base = erased(make::<GoldilocksStark<Goldilocks>>(2, None)).expect("two threads can be started");
    golden::goldilocks::check_vectors(&Arc::new(cubic), &Arc::new(base));
}

#[test]
fn golden_proofs_of_circle() {
    let backend = Arc::new(erased(make::<CircleStark>(2, None)).expect("two threads can be started"));
    golden::circle::proofs().iter().for_each(|case| golden::circle::check(&backend, case));
}
