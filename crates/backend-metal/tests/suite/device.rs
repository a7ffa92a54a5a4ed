//! On a Mac: the suite and the golden proofs of both protocols on its GPU. `POLYSTARK_REQUIRE_BACKEND=metal` makes a
//! Mac without one fail.
#![cfg(target_vendor = "apple")]

use std::sync::Arc;

use backend_metal::open;
use field::{Fp3, Goldilocks};
use gpu_hal::{CircleStark, GoldilocksStark};
use hal_conformance::require_or_skip;

mod goldilocks {
    hal_conformance::goldilocks!(backend_metal::open::<gpu_hal::GoldilocksStark>, "metal");
}

mod goldilocks_base {
    hal_conformance::goldilocks!(backend_metal::open::<gpu_hal::GoldilocksStark<field::Goldilocks>>, "metal");
}

mod circle {
    hal_conformance::circle!(backend_metal::open::<gpu_hal::CircleStark>, "metal");
}

#[test]
fn every_goldilocks_vector() {
    let cubic = require_or_skip("metal", open::<GoldilocksStark<Fp3>>());
    let base = require_or_skip("metal", open::<GoldilocksStark<Goldilocks>>());
    if let (Some(cubic), Some(base)) = (cubic, base) {
        golden::goldilocks::check_vectors(&Arc::new(cubic), &Arc::new(base));
    }
}

#[test]
fn every_circle_vector() {
    if let Some(backend) = require_or_skip("metal", open::<CircleStark>()) {
        let backend = Arc::new(backend);
        golden::circle::proofs().iter().for_each(|case| golden::circle::check(&backend, case));
    }
}
