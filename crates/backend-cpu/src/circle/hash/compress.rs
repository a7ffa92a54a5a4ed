//! Blake2s (RFC 7693) on lanes: unkeyed, digests of 32 bytes.

use gpu_hal::Digest;

use crate::circle::m31::{LANES, Lanes, P, transpose};

/// The eight words of a state.
pub(super) type State<V> = [V; 8];

const IV: [u32; 8] =
    [0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19];

/// Digest length 32, no key, fan-out and depth 1.
const PARAMETERS: u32 = 0x0101_0020;

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

/// The state of a hash that has absorbed nothing.
#[inline(always)]
pub(super) fn first_state<V: Lanes>() -> State<V> {
    let mut state = [V::splat(IV[0] ^ PARAMETERS); 8];
    for (word, value) in state.iter_mut().zip(IV).skip(1) {
        *word = V::splat(value);
    }
    state
}

#[inline(always)]
fn mix<V: Lanes>(v: &mut [V; 16], [a, b, c, d]: [usize; 4], x: V, y: V) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = v[d].xor(v[a]).rotate_right::<16>();
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = v[b].xor(v[c]).rotate_right::<12>();
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = v[d].xor(v[a]).rotate_right::<8>();
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = v[b].xor(v[c]).rotate_right::<7>();
}

#[inline(always)]
fn round<V: Lanes>(v: &mut [V; 16], m: &[V; 16], s: &[usize; 16]) {
    mix(v, [0, 4, 8, 12], m[s[0]], m[s[1]]);
    mix(v, [1, 5, 9, 13], m[s[2]], m[s[3]]);
    mix(v, [2, 6, 10, 14], m[s[4]], m[s[5]]);
    mix(v, [3, 7, 11, 15], m[s[6]], m[s[7]]);
    mix(v, [0, 5, 10, 15], m[s[8]], m[s[9]]);
    mix(v, [1, 6, 11, 12], m[s[10]], m[s[11]]);
    mix(v, [2, 7, 8, 13], m[s[12]], m[s[13]]);
    mix(v, [3, 4, 9, 14], m[s[14]], m[s[15]]);
}

/// Absorbs a block; `bytes` is how many were absorbed with it.
#[inline(always)]
pub(super) fn compress<V: Lanes>(state: &State<V>, message: &[V; 16], bytes: u64, is_last: bool) -> State<V> {
    let mut v = [state[0]; 16];
    v[..8].copy_from_slice(state);
    for (word, value) in v[8..].iter_mut().zip(IV) {
        *word = V::splat(value);
    }
    v[12] = V::splat(IV[4] ^ bytes as u32);
    v[13] = V::splat(IV[5] ^ (bytes >> 32) as u32);
    v[14] = V::splat(if is_last { !IV[6] } else { IV[6] });
    for places in &SIGMA {
        round(&mut v, message, places);
    }
    let mut next = *state;
    for (i, word) in next.iter_mut().enumerate() {
        *word = word.xor(v[i]).xor(v[i + 8]);
    }
    next
}

/// The words of a digest, of those of a state that has absorbed all.
#[derive(Clone, Copy)]
pub(super) enum Words {
    /// The same.
    Whole,
    /// Mod `2^31 - 1`.
    Reduced,
    /// Mod `2^31 - 1`, but for the last two words (`gpu_hal::HashFn::tree_leaf`).
    WidelyReduced,
}

/// The digest of a state that has absorbed all.
#[inline(always)]
pub(super) fn digest<V: Lanes>(mut state: State<V>, words: Words) -> State<V> {
    let p = V::splat(P);
    let turned = match words {
        Words::Whole => return state,
        Words::Reduced => V::splat(0),
        Words::WidelyReduced => V::splat(P - 1),
    };
    for word in &mut state {
        // It is p of the last word but one and p + 1 of the last, and below p of all others, whose difference in the
        // next line is `2^31` or more: in turn p - 1 and p, where these two are not to become 0 and 1.
        let once = word.min(word.wrapping_sub(p));
        *word = once.min(once.wrapping_sub(p).xor(turned));
    }
    state
}

/// The parents of the nodes of two groups: left children are the even lanes.
#[inline(always)]
pub(super) fn node<V: Lanes>(first: &State<V>, second: &State<V>, words: Words) -> State<V> {
    let mut message = [first[0]; 16];
    for word in 0..8 {
        (message[word], message[8 + word]) = first[word].deinterleave(second[word]);
    }
    digest(compress(&first_state(), &message, 64, true), words)
}

/// The words of up to 16 pairs of digests, pair `l` in lane `l`; missing pairs are zeros.
#[inline(always)]
pub(super) fn load_pairs<V: Lanes>(pairs: &[Digest]) -> [V; 16] {
    let mut padded = [[0u8; 32]; 2 * LANES];
    let source = if pairs.len() >= 2 * LANES {
        pairs.as_ptr()
    } else {
        padded[..pairs.len()].copy_from_slice(pairs);
        padded.as_ptr()
    };
    let mut registers = [V::splat(0); LANES];
    for (pair, register) in registers.iter_mut().enumerate() {
        // SAFETY: 32 digests of 8 words.
        *register = unsafe { V::load(source.cast::<u32>().add(16 * pair)) };
    }
    transpose(registers)
}

/// The first `min(16, out.len())` digests.
#[inline(always)]
pub(super) fn store_digests<V: Lanes>(state: &State<V>, out: &mut [Digest]) {
    let zero = V::splat(0);
    let mut registers = [zero; LANES];
    registers[..8].copy_from_slice(state);
    let registers = transpose(registers);
    let mut lanes = [[0u32; LANES]; LANES];
    for (register, lanes) in registers.iter().zip(&mut lanes) {
        // SAFETY: sixteen words.
        unsafe { register.store(lanes.as_mut_ptr()) };
    }
    for (digest, words) in out.iter_mut().zip(&lanes) {
        for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }
}
