//! Blocks of uniform bytes from a key.

use super::Digest;

/// Bytes of a block.
pub const RANDOM_BLOCK: usize = 128;

/// Bytes that the sponge takes between two permutations.
const RATE: usize = 136;

/// Block `block` of a column of a stream: the first 128 bytes that the sponge of Keccak-256 (rate 136, original
/// padding) gives for `key || BE8(stream) || BE8(column) || BE8(block)`. They come of one permutation; the first 32 are
/// Keccak-256 of those 56 bytes.
pub fn random_block(key: &Digest, stream: u64, column: u64, block: u64) -> [u8; RANDOM_BLOCK] {
    let mut bytes = [0; RATE];
    bytes[..32].copy_from_slice(key);
    for (at, number) in [stream, column, block].into_iter().enumerate() {
        bytes[32 + 8 * at..][..8].copy_from_slice(&number.to_be_bytes());
    }
    bytes[56] = 1;
    bytes[RATE - 1] = 0x80;
    let mut state = [0; 25];
    for (word, bytes) in state.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    keccak::f1600(&mut state);
    let mut out = [0; RANDOM_BLOCK];
    for (bytes, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    out
}
