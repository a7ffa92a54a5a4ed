//! The compression function of Blake2s (RFC 7693), which two instructions compute. Its constants stand here, too, as
//! this crate does without `gpu-hal`, which has them for provers.

/// The state that the one before the first block is made of.
pub(crate) const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The order of the message's words in each round.
const SIGMA: [[usize; 16]; 10] = [
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

/// The words that each half of a round mixes.
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

/// The state behind a block of a message of which `bytes` bytes are done then.
pub(crate) fn compress(state: [u32; 8], message: [u32; 16], bytes: u32, is_last: bool) -> [u32; 8] {
    let mut v = [0; 16];
    v[..8].copy_from_slice(&state);
    v[8..].copy_from_slice(&IV);
    v[12] ^= bytes;
    if is_last {
        v[14] = !v[14];
    }
    for order in SIGMA {
        for (half, [a, b, c, d]) in MIXED.into_iter().enumerate() {
            let [x, y] = [order[2 * half], order[2 * half + 1]].map(|index| message[index]);
            v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
            v[d] = (v[d] ^ v[a]).rotate_right(16);
            v[c] = v[c].wrapping_add(v[d]);
            v[b] = (v[b] ^ v[c]).rotate_right(12);
            v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
            v[d] = (v[d] ^ v[a]).rotate_right(8);
            v[c] = v[c].wrapping_add(v[d]);
            v[b] = (v[b] ^ v[c]).rotate_right(7);
        }
    }
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| state[i] ^ v[i] ^ v[i + 8])
}

#[cfg(test)]
mod tests {
    use blake2::{Blake2s256, Digest};

    use super::*;

    #[test]
    fn a_message_of_two_blocks_has_the_digest_of_blake2s() {
        let bytes: Vec<u8> = (0..100).collect();
        let mut padded = [0; 128];
        padded[..100].copy_from_slice(&bytes);
        let words: Vec<u32> = padded.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let [first, second] = [0, 16].map(|start| <[u32; 16]>::try_from(&words[start..start + 16]).unwrap());
        let mut state = IV;
        state[0] ^= 0x0101_0020;
        let state = compress(compress(state, first, 64, false), second, 100, true);
        let digest: Vec<u8> = state.into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(digest[..], Blake2s256::digest(&bytes)[..]);
    }
}
