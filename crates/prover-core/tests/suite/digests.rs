//! The larger golden proofs, by digest, on every CPU backend.

use golden::backends::{cpu_of, reference};
use std::sync::Arc;

use golden::goldilocks::{Cubic, check, digests};

#[test]
fn every_digest_on_the_reference() {
    let backend = Arc::new(reference::<Cubic>());
    digests().iter().for_each(|case| check(&backend, case));
}

#[test]
fn every_digest_on_one_and_two_threads() {
    for threads in [1, 2] {
        let backend = Arc::new(cpu_of::<Cubic>(threads));
        digests().iter().for_each(|case| check(&backend, case));
    }
}
