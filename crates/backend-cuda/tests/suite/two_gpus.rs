//! Golden proofs by two GPUs together. Skipped where there are fewer, unless `POLYSTARK_REQUIRE_BACKEND=cuda-2`.

use std::sync::Arc;

use backend_cuda::{Cuda, open_device};
use backend_placement::Sharded;
use field::{ExtensionField, Fp3, Goldilocks};
use golden::{circle, goldilocks};
use gpu_hal::{CircleStark, GoldilocksStark, Result, StarkBackend};
use gpu_runtime::GpuProtocol;
use hal_conformance::require_or_skip;

/// The name by which `POLYSTARK_REQUIRE_BACKEND` requires it.
const NAME: &str = "cuda-2";

/// Golden statements are small: blocks of 4 rows are cut, too, where they would be left to one device.
fn two<P: GpuProtocol>() -> Option<Arc<Sharded<Cuda<P>>>> {
    let open = || -> Result<_> { Sharded::new(vec![open_device::<P>(0)?, open_device::<P>(1)?]) };
    require_or_skip(NAME, open()).map(|devices| Arc::new(devices.with_least_rows(2)))
}

fn two_of<E: ExtensionField<Goldilocks>>() -> Option<Arc<Sharded<Cuda<GoldilocksStark<E>>>>>
where
    GoldilocksStark<E>: GpuProtocol,
{
    two()
}

/// Both devices have had a part in it.
fn both_took_part<P: GpuProtocol>(backend: &Sharded<Cuda<P>>) {
    let peaks = backend.devices().iter().map(|device| device.memory().expect("counted").peak);
    assert!(peaks.clone().all(|peak| peak > 0), "a device has done nothing: peaks {:?}", peaks.collect::<Vec<_>>());
}

#[test]
fn every_vector_of_goldilocks() {
    let (Some(extension), Some(base)) = (two_of::<Fp3>(), two_of::<Goldilocks>()) else { return };
    goldilocks::check_vectors(&extension, &base);
    both_took_part(&extension);
}

#[test]
fn every_digest_of_goldilocks() {
    let Some(backend) = two_of::<Fp3>() else { return };
    goldilocks::digests().iter().for_each(|case| goldilocks::check(&backend, case));
}

#[test]
fn every_proof_of_the_circle() {
    let Some(backend) = two::<CircleStark>() else { return };
    circle::proofs().iter().for_each(|case| circle::check(&backend, case));
    both_took_part(&backend);
}

#[test]
fn every_digest_of_the_circle() {
    let Some(backend) = two::<CircleStark>() else { return };
    circle::digests().iter().for_each(|case| circle::check(&backend, case));
}
