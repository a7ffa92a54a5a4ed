//! The Blake2s compression (RFC 7693) of one 64-byte block to its 32-byte hash, in terms of the operations on
//! words.

use gpu_hal::hash::blake2s::{IV, PARAMETERS, SIGMA};

/// Rounds of a compression.
pub(super) const ROUNDS: usize = SIGMA.len();

/// The chaining value before the first block: no key, a digest of 32 bytes.
pub(super) const CHAIN: [u32; 8] = [IV[0] ^ PARAMETERS, IV[1], IV[2], IV[3], IV[4], IV[5], IV[6], IV[7]];

/// The state before the first round: the block is the last one, and 64 bytes are hashed by its end.
pub(super) const START: [u32; 16] = [
    CHAIN[0],
    CHAIN[1],
    CHAIN[2],
    CHAIN[3],
    CHAIN[4],
    CHAIN[5],
    CHAIN[6],
    CHAIN[7],
    IV[0],
    IV[1],
    IV[2],
    IV[3],
    IV[4] ^ 64,
    IV[5],
    !IV[6],
    IV[7],
];

/// State words of the eight mixings of a round: four columns, then four diagonals.
const MIXED: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// The values that a round computes with: numbers, or expressions of constraints.
pub(super) trait Words {
    /// A 32-bit word.
    type Word: Clone;
    /// A word of the message.
    type Message;

    /// `a + b`, and the message word if there is one, mod `2^32`.
    fn add(&mut self, a: &Self::Word, b: &Self::Word, message: Option<&Self::Message>) -> Self::Word;
    /// Exclusive or.
    fn xor(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Rotation to the right by `8 bytes` bits.
    fn rotate_bytes(&mut self, word: &Self::Word, bytes: usize) -> Self::Word;
    /// Rotation to the right by 12 bits.
    fn rotate_12(&mut self, word: &Self::Word) -> Self::Word;
    /// Rotation to the right by 7 bits.
    fn rotate_7(&mut self, word: &Self::Word) -> Self::Word;
}

/// One round; `message` is in the order of [`SIGMA`].
pub(super) fn round<W: Words>(words: &mut W, mut state: [W::Word; 16], message: &[W::Message; 16]) -> [W::Word; 16] {
    for (mixing, [a, b, c, d]) in MIXED.into_iter().enumerate() {
        state[a] = words.add(&state[a], &state[b], Some(&message[2 * mixing]));
        let mixed = words.xor(&state[d], &state[a]);
        state[d] = words.rotate_bytes(&mixed, 2);
        state[c] = words.add(&state[c], &state[d], None);
        let mixed = words.xor(&state[b], &state[c]);
        state[b] = words.rotate_12(&mixed);
        state[a] = words.add(&state[a], &state[b], Some(&message[2 * mixing + 1]));
        let mixed = words.xor(&state[d], &state[a]);
        state[d] = words.rotate_bytes(&mixed, 1);
        state[c] = words.add(&state[c], &state[d], None);
        let mixed = words.xor(&state[b], &state[c]);
        state[b] = words.rotate_7(&mixed);
    }
    state
}
