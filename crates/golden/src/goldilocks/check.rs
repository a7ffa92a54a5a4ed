//! Proofs of any backend against the golden ones.

use std::sync::Arc;

use gpu_hal::{CosetProtocol, StarkBackend};
use proof::Seed;
use prover_core::{Prover, Silent};
use sha2::{Digest, Sha256};

use super::Case;

/// The bytes of a case's proof.
///
/// # Panics
/// If there is no proof.
pub fn prove<B: StarkBackend<P: CosetProtocol>>(backend: &Arc<B>, case: &Case) -> Vec<u8> {
    let air = case.air::<B::P>();
    let prover = Prover::new(backend.clone(), air.clone()).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let proof = prover.prove(&air.trace(), &case.options, Seed::Given(&case.seed), &Silent);
    proof::encode(&proof.unwrap_or_else(|error| panic!("{}: {error}", case.name)))
}

/// Proves a case and compares the proof with the reference's.
///
/// # Panics
/// If the proof is another.
pub fn check<B: StarkBackend<P: CosetProtocol>>(backend: &Arc<B>, case: &Case) {
    let bytes = prove(backend, case);
    assert_eq!(bytes.len(), case.length, "{}: length of the proof", case.name);
    assert_eq!(hex::encode(Sha256::digest(&bytes)), case.sha256, "{}: digest of the proof", case.name);
}
