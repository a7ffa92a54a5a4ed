//! The compression of Blake2s (RFC 7693, 3.2), written again, constants, too: machines are compared with this one.

const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

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

/// The cells of each mixture.
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

/// The next state after a block when `bytes` bytes are hashed in all.
pub(super) fn compress(state: [u32; 8], message: [u32; 16], bytes: u32, is_last: bool) -> [u32; 8] {
    let mut v: [u32; 16] = std::array::from_fn(|at| if at < 8 { state[at] } else { IV[at - 8] });
    v[12] ^= bytes;
    if is_last {
        v[14] = !v[14];
    }
    for order in SIGMA {
        for (number, [a, b, c, d]) in MIXED.into_iter().enumerate() {
            for (word, turns) in [(order[2 * number], [16, 12]), (order[2 * number + 1], [8, 7])] {
                v[a] = v[a].wrapping_add(v[b]).wrapping_add(message[word]);
                v[d] = (v[d] ^ v[a]).rotate_right(turns[0]);
                v[c] = v[c].wrapping_add(v[d]);
                v[b] = (v[b] ^ v[c]).rotate_right(turns[1]);
            }
        }
    }
    std::array::from_fn(|at| state[at] ^ v[at] ^ v[at + 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7693, appendix B: the hash of `abc`.
    #[test]
    fn the_hash_of_abc() {
        let mut state = IV;
        state[0] ^= 0x0101_0020;
        let mut message = [0; 16];
        message[0] = u32::from_le_bytes(*b"abc\0");
        let hash = compress(state, message, 3, true);
        assert_eq!(
            (hash[0].to_le_bytes(), hash[7].to_le_bytes()),
            ([0x50, 0x8c, 0x5e, 0x8c], [0x86, 0x67, 0x59, 0x82])
        );
    }
}
