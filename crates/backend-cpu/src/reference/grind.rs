//! Proof of work: the first nonce of a fixed order.

use blake2::Blake2s256;
use gpu_hal::GrindChallenge;
use sha3::{Digest as _, Keccak256};

/// The smallest nonce with `BE64(first 8 bytes of Keccak256(digest || BE8(nonce))) < 2^(64 - bits)`, which says that the first
/// `bits` bits are zero.
pub(crate) fn keccak(challenge: &GrindChallenge) -> Option<u64> {
    (0..=u64::MAX).find(|nonce| {
        let hash = Keccak256::new().chain_update(challenge.digest).chain_update(nonce.to_be_bytes()).finalize();
        let zeros = hash.iter().take_while(|byte| **byte == 0).count();
        let partial = hash.get(zeros).map_or(0, |byte| byte.leading_zeros());
        zeros as u32 * 8 + partial >= challenge.bits
    })
}

/// The first nonce whose `Blake2s(digest || LE8(nonce))` has as many trailing zero bits in its first 16 bytes, read as a
/// little-endian number: smallest high word first, then smallest low word below 2^20 (circle.md, section 12).
pub(crate) fn blake2s(challenge: &GrindChallenge) -> Option<u64> {
    let nonces = (0..1u64 << 32).flat_map(|high| (0..1u64 << 20).map(move |low| high << 32 | low));
    nonces.into_iter().find(|nonce| {
        let hash = Blake2s256::new().chain_update(challenge.digest).chain_update(nonce.to_le_bytes()).finalize();
        let first: [u8; 16] = std::array::from_fn(|i| hash[i]);
        u128::from_le_bytes(first).trailing_zeros() >= challenge.bits
    })
}
