//! A proof's security and its digest, as JSON.

use proof_format::Security;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

#[derive(Serialize)]
pub(crate) struct SecurityView {
    claimed_bits: u32,
    claimed_limit: String,
    conjectured_bits: u32,
    conjectured_limit: String,
    provable_bits: u32,
    provable_limit: String,
    /// Where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_order_bits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_order_limit: Option<String>,
}

impl SecurityView {
    pub(crate) fn new(security: &Security) -> Self {
        Self {
            claimed_bits: security.claimed.bits,
            claimed_limit: security.claimed.limit.to_string(),
            conjectured_bits: security.conjectured.bits,
            conjectured_limit: security.conjectured.limit.to_string(),
            provable_bits: security.provable.bits,
            provable_limit: security.provable.limit.to_string(),
            first_order_bits: security.first_order.map(|figure| figure.bits),
            first_order_limit: security.first_order.map(|figure| figure.limit.to_string()),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct ProofView {
    pub(crate) bytes: usize,
    pub(crate) sha256: String,
}

impl ProofView {
    pub(crate) fn new(proof: &[u8]) -> Self {
        Self { bytes: proof.len(), sha256: hex::encode(Sha256::digest(proof)) }
    }
}
