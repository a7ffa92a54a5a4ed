//! Golden proofs by two emulated GPUs together.

use std::sync::Arc;

use backend_emulated::{Emulated, NAME, device};
use backend_placement::Sharded;
use golden::goldilocks::Cubic;
use golden::{circle, goldilocks};
use gpu_hal::{CircleStark, StarkBackend};
use gpu_runtime::GpuProtocol;

/// Golden statements are small: blocks of 4 rows are cut, too.
fn two<P: GpuProtocol>() -> Arc<Sharded<Emulated<P>>> {
    let one = || Emulated::new(NAME, device().expect("a C++ compiler")).expect("a backend");
    Arc::new(Sharded::new(vec![one(), one()]).expect("two").with_least_rows(2))
}

fn both_took_part<P: GpuProtocol>(backend: &Sharded<Emulated<P>>) {
    let peaks = backend.devices().iter().map(|device| device.memory().expect("counted").peak);
    assert!(peaks.clone().all(|peak| peak > 0), "a device has done nothing: peaks {:?}", peaks.collect::<Vec<_>>());
}

#[test]
fn proofs_of_goldilocks() {
    let backend = two::<Cubic>();
    let vectors = goldilocks::vectors();
    vectors.iter().filter(|vector| !vector.is_base()).for_each(|vector| goldilocks::check(&backend, &vector.case));
    both_took_part(&backend);
}

#[test]
fn proofs_of_the_circle() {
    let backend = two::<CircleStark>();
    circle::proofs().iter().for_each(|case| circle::check(&backend, case));
    both_took_part(&backend);
}
