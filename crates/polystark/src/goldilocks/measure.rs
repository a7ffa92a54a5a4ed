//! What is said of a proof of the Goldilocks protocol that is measured.

use proof::ProofOptions;
use serde::Serialize;

use super::types::Proven;
use crate::error::Error;
use crate::types::Goldilocks3;

/// Options of a proof.
#[derive(Serialize)]
pub struct OptionsView {
    blowup: u32,
    queries: u32,
    grinding: u32,
    coset_offset: String,
    hash: &'static str,
}

impl From<&ProofOptions> for OptionsView {
    fn from(options: &ProofOptions) -> Self {
        Self {
            blowup: options.blowup,
            queries: options.queries,
            grinding: options.grinding,
            coset_offset: options.coset_offset.to_string(),
            hash: options.hash.name(),
        }
    }
}

/// The nonce of the proof.
pub(super) fn nonce(proven: &Proven) -> Result<u64, Error> {
    Ok(proof::decode::<Goldilocks3>(proven.proof()).map_err(Error::Proof)?.nonce.unwrap_or(0))
}
