//! Proof of work between the FRI commitments and the queries (section 9).
//!
//! The prefix of nonces is `Keccak256(0123456789abcded || seed || bits)`, with the seed taken from
//! [`crate::Transcript::state`]; a nonce is valid if the first 8 bytes of `Keccak256(prefix || nonce)`, big-endian, are
//! below `2^(64 - bits)`. The prover takes the smallest; a verifier accepts any. Nothing is searched here: backends do
//! that.

use gpu_hal::{Digest, HashFn, NonceSearch};
use sha3::{Digest as _, Keccak256};

/// The most leading zero bits that can be asked for.
pub const MAX_BITS: u32 = 64;

const PREFIX: [u8; 8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xED];

/// The search for a nonce. `bits` is at most [`MAX_BITS`], which the options' validation sees to.
pub fn search(seed: &Digest, bits: u32) -> NonceSearch {
    let prefix = Keccak256::new().chain_update(PREFIX).chain_update(seed).chain_update([bits as u8]).finalize();
    NonceSearch { hash: HashFn::Keccak256, prefix: prefix.into(), bits }
}
