//! Whole proofs on the GPU: the golden ones, and against the CPU operation by operation. Skipped without a device, unless
//! `POLYSTARK_REQUIRE_BACKEND=cuda`.

#[path = "../../backend-emulated/tests/runs/mod.rs"]
mod runs;

use std::sync::Arc;

use backend_cpu::Cpu;
use backend_cuda::{Cuda, CudaDevice, NAME, Options, open};
use gpu_hal::HashFn;
use gpu_runtime::GpuProtocol;
use hal_conformance::require_or_skip;
use runs::{P, example, options, prove};

fn cuda<P: GpuProtocol>() -> Option<Arc<Cuda<P>>> {
    require_or_skip(NAME, open()).map(Arc::new)
}

#[test]
fn every_vector() {
    let (Some(extension), Some(base)) = (cuda(), cuda()) else { return };
    runs::golden_proofs(&extension, &base);
}

#[test]
fn every_digest() {
    let Some(backend) = cuda() else { return };
    runs::golden_digests(&backend, u64::MAX);
}

#[test]
fn every_air_with_both_hashes_operation_by_operation() {
    if cuda::<P>().is_some() {
        let make = || open().expect("a device that was there");
        [64, 4096].into_iter().for_each(|rows| runs::examples_against(Cpu::<P>::new, make, rows));
    }
}

#[test]
fn a_hundred_proofs_are_one_and_memory_does_not_grow() {
    let Some(backend) = cuda() else { return };
    runs::repeated(&backend, 1 << 10, 100);
}

#[test]
fn a_proof_that_does_not_fit_fails_and_a_smaller_one_works() {
    let Some(device) = require_or_skip(NAME, CudaDevice::new(Options::default())) else { return };
    let backend = Arc::new(Cuda::<P>::with_memory_limit(NAME, device, 24 << 20).expect("a backend"));
    let (small, large) = (example("fibonacci-rap", 1 << 10), example("fibonacci-rap", 1 << 18));
    let expected = prove(&Arc::new(Cpu::<P>::new()), &small, &options(HashFn::Keccak256)).expect("an honest trace");
    runs::large_fails_and_small_works(&backend, &large, (&small, &expected));
}
