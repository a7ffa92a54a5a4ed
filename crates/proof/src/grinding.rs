//! Proof of work between the FRI commitments and the queries (section 9).
//!
//! `inner = Keccak256(0123456789abcded || seed || bits)`, with the seed taken from [`crate::Transcript::state`]; a nonce is
//! valid if the first 8 bytes of `Keccak256(inner || nonce)`, big-endian, are below `2^(64 - bits)`. The prover takes the
//! smallest; a verifier accepts any. Nothing is searched here: backends do that.

use gpu_hal::Digest;
use sha3::{Digest as _, Keccak256};

/// The most leading zero bits that can be asked for.
pub const MAX_BITS: u32 = 64;

const PREFIX: [u8; 8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xED];

/// The 32 bytes in front of each nonce. `bits` is at most [`MAX_BITS`], which the options' validation sees to.
pub fn inner(seed: &Digest, bits: u32) -> Digest {
    Keccak256::new().chain_update(PREFIX).chain_update(seed).chain_update([bits as u8]).finalize().into()
}

/// Whether a nonce does the work: at least `bits` leading zero bits.
pub fn is_valid(inner: &Digest, nonce: u64, bits: u32) -> bool {
    let hash: Digest = Keccak256::new().chain_update(inner).chain_update(nonce.to_be_bytes()).finalize().into();
    let [a, b, c, d, e, f, g, h, ..] = hash;
    u64::from_be_bytes([a, b, c, d, e, f, g, h]).leading_zeros() >= bits
}
