//! The compression function of SHA-256 (FIPS 180-4).

/// The state before the first block.
pub(super) const BEGIN: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The first bits behind the point of the cube roots of the first primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// The state after a block.
pub(super) fn compress(state: [u32; 8], message: [u32; 16]) -> [u32; 8] {
    let mut words = [0_u32; 64];
    words[..16].copy_from_slice(&message);
    for i in 16..64 {
        let (x, y) = (words[i - 15], words[i - 2]);
        let first = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
        let second = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
        words[i] = words[i - 16].wrapping_add(first).wrapping_add(words[i - 7]).wrapping_add(second);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    for (round, word) in ROUNDS.into_iter().zip(words) {
        let choice = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let first = h
            .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
            .wrapping_add(choice)
            .wrapping_add(round)
            .wrapping_add(word);
        let second = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22)).wrapping_add(majority);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    let new = [a, b, c, d, e, f, g, h];
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| state[i].wrapping_add(new[i]))
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn a_block_is_compressed_as_by_another_implementation() {
        // 55 bytes, the bit behind them, and their number of bits.
        let mut block = [0; 64];
        block[..55].iter_mut().zip(1..).for_each(|(byte, value)| *byte = value);
        let hash: [u8; 32] = Sha256::digest(&block[..55]).into();
        block[55] = 0x80;
        block[62..].copy_from_slice(&(55_u16 * 8).to_be_bytes());
        let mut message = [0; 16];
        let words = block.chunks_exact(4).map(|word| word.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)));
        message.iter_mut().zip(words).for_each(|(to, word)| *to = word);
        let state: Vec<u8> = compress(BEGIN, message).into_iter().flat_map(u32::to_be_bytes).collect();
        assert_eq!(state, hash);
    }
}
