//! Blake2s (RFC 7693) on lanes: unkeyed, digests of 32 bytes.

use gpu_hal::Digest;
use gpu_hal::hash::blake2s::{IV, PARAMETERS, SIGMA};

use crate::circle::m31::{LANES, Lanes, P, transpose};

/// Words of a block of the hash.
pub(super) const BLOCK: usize = 16;

/// The eight words of a state.
pub(super) type State<V> = [V; 8];

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
