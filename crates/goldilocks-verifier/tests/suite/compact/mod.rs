//! Proofs of the compact format: what is taken, and what is not.

mod bytes;
mod hidden;
mod lies;
mod python;

use std::sync::Arc;

use air::airs::{ExampleAir, FibonacciRap};
use air::{RecordedAir, record};
use golden::goldilocks::Cubic;
use goldilocks_proof::Hiding;
use goldilocks_proof::compact::{AirDigest, Options, Suite, encode};
use goldilocks_verifier::compact::verify_bytes;
use goldilocks_verifier::{Policy, Verified, VerifyError};
use gpu_hal::erased::Device;
use prover_core::Silent;
use prover_core::goldilocks::Prover;

/// 64 rows with so many steps.
fn rap(steps: u64) -> Arc<dyn ExampleAir<Cubic>> {
    Arc::new(FibonacciRap::new(64, steps).expect("possible"))
}

fn recorded(air: &dyn ExampleAir<Cubic>) -> RecordedAir<Cubic> {
    record(air).expect("a sound AIR")
}

/// Options with everything that there is: a fold before the first layer, two layers, two points, work before each draw.
fn options() -> Options {
    Options {
        blowup: 4,
        queries: 9,
        coset_offset: 7,
        points: 2,
        folds: vec![2, 1, 2],
        log_last: 1,
        work: vec![6; 8],
        suite: Suite::Keccak256,
        hiding: Hiding::None,
    }
}

fn prove(device: Device<Cubic>, air: Arc<dyn ExampleAir<Cubic>>, digest: AirDigest<'_>, options: &Options) -> Vec<u8> {
    let prover = Prover::new(Arc::new(device), air.clone()).expect("a sound AIR");
    let proof = prover.prove(&air.trace(), options, digest, &Silent).expect("an honest trace");
    encode(&proof, options)
}

fn verify(air: &RecordedAir<Cubic>, options: &Options, bytes: &[u8]) -> Result<Verified, VerifyError> {
    verify_bytes(air, options, bytes, &Policy::ANY)
}
