//! The Blake2s compression (RFC 7693) of one 64-byte block to its 32-byte hash, in terms of the operations on
//! words.

/// Rounds of a compression.
pub(super) const ROUNDS: usize = 10;

const IV: [u32; 8] =
    [0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19];

/// The chaining value before the first block: no key, a digest of 32 bytes.
pub(super) const CHAIN: [u32; 8] = [IV[0] ^ 0x0101_0020, IV[1], IV[2], IV[3], IV[4], IV[5], IV[6], IV[7]];

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

/// The message word that each place of a round takes.
pub(super) const SIGMA: [[usize; 16]; ROUNDS] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
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
