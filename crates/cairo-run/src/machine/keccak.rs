//! Keccak-f[1600] (FIPS 202), and the hash of 256 bits that Ethereum makes of it.

/// Words of a state.
pub(crate) const STATE: usize = 25;

/// Bytes of a block.
const RATE: usize = 136;

#[rustfmt::skip]
const ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
];

/// Permutes a state, whose word at column `x` and row `y` is `x + 5 y`.
pub(crate) fn permute(state: &mut [u64; STATE]) {
    for round in ROUNDS {
        let column = |x: usize| (0..5).fold(0, |sum, y| sum ^ state[x % 5 + 5 * y]);
        let sums = [0, 1, 2, 3, 4].map(|x| column(x + 4) ^ column(x + 1).rotate_left(1));
        state.iter_mut().enumerate().for_each(|(index, word)| *word ^= sums[index % 5]);
        // Each word goes to where the one before it in the walk came from, turned by one more bit each time.
        let (mut x, mut y, mut moved) = (1, 0, state[1]);
        for step in 0..24 {
            (x, y) = (y, (2 * x + 3 * y) % 5);
            let turned = moved.rotate_left((step + 1) * (step + 2) / 2 % 64);
            moved = std::mem::replace(&mut state[x + 5 * y], turned);
        }
        for row in state.chunks_exact_mut(5) {
            let before = [row[0], row[1], row[2], row[3], row[4]];
            (0..5).for_each(|x| row[x] ^= !before[(x + 1) % 5] & before[(x + 2) % 5]);
        }
        state[0] ^= round;
    }
}

/// The hash of a message.
pub(crate) fn keccak256(message: &[u8]) -> [u8; 32] {
    let mut padded = message.to_vec();
    padded.push(1);
    padded.resize(padded.len().next_multiple_of(RATE), 0);
    if let Some(last) = padded.last_mut() {
        *last |= 0x80;
    }
    let mut state = [0; STATE];
    for block in padded.chunks_exact(RATE) {
        for (word, bytes) in state.iter_mut().zip(block.chunks_exact(8)) {
            *word ^= bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        }
        permute(&mut state);
    }
    let mut hash = [0; 32];
    hash.chunks_exact_mut(8).zip(state).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_are_known() {
        let hex = |message: &[u8]| hex::encode(keccak256(message));
        assert_eq!(hex(b""), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
        assert_eq!(hex(b"abc"), "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
        // The length of a block, and one byte less.
        assert_eq!(hex(&[b'a'; 136]), "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e");
        assert_eq!(hex(&[b'a'; 135]), "34367dc248bbd832f4e3e69dfaac2f92638bd0bbd18f2912ba4ef454919cf446");
    }
}
