//! Whole proofs of the Circle protocol on the GPU: byte for byte the reference's. Skipped without a device, unless
//! `POLYSTARK_REQUIRE_BACKEND=cuda`.

use backend_cuda::{Cuda, NAME, open};
use golden::circle::{air, check, check_generated, digests, proofs, suites};
use gpu_hal::CircleStark;
use hal_conformance::require_or_skip;

fn cuda() -> Option<std::sync::Arc<Cuda<CircleStark>>> {
    require_or_skip(NAME, open()).map(std::sync::Arc::new)
}

#[test]
fn golden_proofs() {
    let Some(backend) = cuda() else { return };
    proofs().iter().for_each(|case| check(&backend, case));
}

#[test]
fn golden_digests() {
    let Some(backend) = cuda() else { return };
    digests().iter().chain(&suites()).for_each(|case| check(&backend, case));
}

#[test]
fn trees_of_gkr() {
    let Some(backend) = cuda() else { return };
    golden::gkr::check(&*backend);
}

#[test]
fn the_kernels_make_traces() {
    for (name, log_rows) in [("fibonacci", 10), ("plonk", 10), ("poseidon2", 10), ("poseidon2", 1), ("rpo-m31", 8)] {
        let Some(backend) = cuda() else { return };
        check_generated(&backend, &air(name, log_rows, ""));
    }
}
