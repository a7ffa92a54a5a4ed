//! Poseidon over the Stark field as Starknet has it: the permutation Hades of width 3, its sponge, and the hashes that
//! stwo's trees and transcript make of it.
//!
//! Plain scalar code: the definition that verifiers run and that other code is checked against.
//!
//! * **Permutation**: 4 full rounds, 83 partial ones, 4 full ones. A full round adds three constants and cubes all
//!   elements; a partial round adds a constant to the last element and cubes that. Each ends with the matrix
//!   `((3, 1, 1), (1, -1, 1), (1, 1, -2))`.
//! * **Sponge** of rate 2: from zeros, two felts are added to the first two elements, then comes a permutation; at the
//!   end a last felt without a partner is added, then 1 to the next element, then comes a permutation. The digest is
//!   the first element.
//! * **Leaf**: the sponge over elements of M31, eight of them to a felt in base `2^31`, first element first. A felt of
//!   fewer elements has their number at bit 248.
//! * **Node**: the first element of the permutation of `(left, right, 2)`.
//!
//! A digest is a felt: 32 little-endian bytes of a number below p.

use alloc::vec::Vec;

use field::M31;

pub use field::stark252::{CONSTANTS, Felt252, HALF_FULL_ROUNDS, MODULUS, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH};

/// Elements of M31 that a felt has.
pub const ELEMENTS: usize = 8;

fn cube(x: Felt252) -> Felt252 {
    x * x * x
}

fn matrix(state: &mut [Felt252; WIDTH]) {
    let [a, b, c] = *state;
    let sum = a + b + c;
    *state = [sum + a + a, sum - b - b, sum - c - c - c];
}

fn full_rounds(state: &mut [Felt252; WIDTH], constants: &[Felt252]) {
    for round in constants.as_chunks::<WIDTH>().0 {
        for (x, constant) in state.iter_mut().zip(round) {
            *x = cube(*x + *constant);
        }
        matrix(state);
    }
}

/// The permutation.
pub fn permute(state: &mut [Felt252; WIDTH]) {
    let (first, rest) = ROUND_CONSTANTS.split_at(WIDTH * HALF_FULL_ROUNDS);
    let (partial, last) = rest.split_at(PARTIAL_ROUNDS);
    full_rounds(state, first);
    for constant in partial {
        state[2] = cube(state[2] + *constant);
        matrix(state);
    }
    full_rounds(state, last);
}

/// The first element of the permutation of `(a, b, domain)`.
pub fn compress(a: Felt252, b: Felt252, domain: Felt252) -> Felt252 {
    let mut state = [a, b, domain];
    permute(&mut state);
    state[0]
}

/// The digest of two felts: of the children of a node among others.
pub fn pair(a: Felt252, b: Felt252) -> Felt252 {
    compress(a, b, Felt252::TWO)
}

/// The digest of felts.
pub fn sponge(felts: &[Felt252]) -> Felt252 {
    let mut state = [Felt252::ZERO; WIDTH];
    let (pairs, rest) = felts.as_chunks::<2>();
    for [a, b] in pairs {
        state[0] += *a;
        state[1] += *b;
        permute(&mut state);
    }
    if let [last] = rest {
        state[0] += *last;
    }
    state[rest.len()] += Felt252::ONE;
    permute(&mut state);
    state[0]
}

/// Words of `bits` bits, the first one highest, of at most 248 bits together, and a number of three bits at bit 248.
pub fn packed(words: impl IntoIterator<Item = u32>, bits: u32, top: u64) -> Felt252 {
    let mut limbs = [0u64; 4];
    for word in words {
        for at in (1..4).rev() {
            limbs[at] = limbs[at] << bits | limbs[at - 1] >> (64 - bits);
        }
        limbs[0] = limbs[0] << bits | u64::from(word);
    }
    limbs[3] |= top << 56;
    Felt252::reduced(limbs)
}

/// The felts of a leaf.
fn felts(elements: impl IntoIterator<Item = M31>) -> Vec<Felt252> {
    let words: Vec<u32> = elements.into_iter().map(M31::value).collect();
    let (whole, rest) = words.as_chunks::<ELEMENTS>();
    let mut felts: Vec<Felt252> = whole.iter().map(|words| packed(*words, 31, 0)).collect();
    if !rest.is_empty() {
        felts.push(packed(rest.iter().copied(), 31, rest.len() as u64));
    }
    felts
}

/// The digest of a leaf.
pub fn leaf(elements: impl IntoIterator<Item = M31>) -> Felt252 {
    sponge(&felts(elements))
}
