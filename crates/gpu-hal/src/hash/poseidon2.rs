//! Poseidon2 over Goldilocks, width 8: the permutation, the sponge of leaves and the compression of nodes.
//!
//! Plain scalar code: the definition that verifiers run and that vectorised code is checked against.
//!
//! * **Permutation** (<https://eprint.iacr.org/2023/323>): the external matrix once; 4 external rounds; 22 internal
//!   rounds; 4 external rounds. An external round adds eight constants, takes `x^7` of every element and applies the
//!   external matrix; an internal round adds one constant to element 0, takes `x^7` of it and applies the internal
//!   matrix.
//! * **Leaf**: overwrite-mode sponge of rate 4 without padding, from the zero state: each four elements replace
//!   `state[0..4]` and are followed by a permutation; a shorter last block replaces as many elements as it has. The
//!   digest is `state[0..4]`. An empty list gives four zeros. There is no length in it, so it separates only lists of
//!   one length: the widths of a tree are fixed by the protocol.
//! * **Node**: permute `left || right`, keep the first four elements.

use field::{CanonicalBytes, Field, Goldilocks};

use super::Digest;
pub use super::poseidon2_constants::{
    EXTERNAL_FINAL, EXTERNAL_INITIAL, HALF_EXTERNAL_ROUNDS, INTERNAL, INTERNAL_ROUNDS,
};

/// Elements of the state.
pub const WIDTH: usize = 8;
/// Elements that a sponge takes between two permutations.
pub const RATE: usize = 4;
/// Elements of a digest.
pub const DIGEST: usize = 4;

const fn constants(values: [u64; WIDTH]) -> [Goldilocks; WIDTH] {
    let mut out = [Goldilocks::new(0); WIDTH];
    let mut i = 0;
    while i < WIDTH {
        out[i] = Goldilocks::new(values[i]);
        i += 1;
    }
    out
}

fn seventh(x: Goldilocks) -> Goldilocks {
    let x2 = x * x;
    x2 * x * (x2 * x2)
}

/// `circ(2M, M)` with `M = circ(2, 3, 1, 1)`.
fn external_matrix(state: &mut [Goldilocks; WIDTH]) {
    for block in state.as_chunks_mut::<4>().0 {
        let [a, b, c, d] = *block;
        let sum = a + b + c + d;
        // Row (2, 3, 1, 1) is sum + a + 2b, and so on round the circle.
        *block = [sum + a + b + b, sum + b + c + c, sum + c + d + d, sum + d + a + a];
    }
    for i in 0..4 {
        let sum = state[i] + state[i + 4];
        state[i] += sum;
        state[i + 4] += sum;
    }
}

/// `J + diag(-2, 1, 2, 1/2, 3, -1/2, -3, -4)`, with `J` all ones.
fn internal_matrix(state: &mut [Goldilocks; WIDTH]) {
    const HALF: Goldilocks = Goldilocks::new(0x7FFF_FFFF_8000_0001);
    let [s0, s1, s2, s3, s4, s5, s6, s7] = *state;
    let sum = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
    let four = s7 + s7 + s7 + s7;
    *state = [
        sum - s0 - s0,
        sum + s1,
        sum + s2 + s2,
        sum + s3 * HALF,
        sum + s4 + s4 + s4,
        sum - s5 * HALF,
        sum - s6 - s6 - s6,
        sum - four,
    ];
}

fn external_rounds(state: &mut [Goldilocks; WIDTH], rounds: &[[u64; WIDTH]; HALF_EXTERNAL_ROUNDS]) {
    for round in rounds {
        for (x, constant) in state.iter_mut().zip(constants(*round)) {
            *x = seventh(*x + constant);
        }
        external_matrix(state);
    }
}

/// The permutation.
pub fn permute(state: &mut [Goldilocks; WIDTH]) {
    external_matrix(state);
    external_rounds(state, &EXTERNAL_INITIAL);
    for constant in INTERNAL {
        state[0] = seventh(state[0] + Goldilocks::new(constant));
        internal_matrix(state);
    }
    external_rounds(state, &EXTERNAL_FINAL);
}

/// Digest of a list of elements, as four elements.
pub fn hash(elements: impl IntoIterator<Item = Goldilocks>) -> [Goldilocks; DIGEST] {
    let mut state = [Goldilocks::ZERO; WIDTH];
    let mut filled = 0;
    for element in elements {
        state[filled] = element;
        filled += 1;
        if filled == RATE {
            permute(&mut state);
            filled = 0;
        }
    }
    if filled > 0 {
        permute(&mut state);
    }
    [state[0], state[1], state[2], state[3]]
}

/// Digest of two digests, as four elements.
pub fn compress(left: [Goldilocks; DIGEST], right: [Goldilocks; DIGEST]) -> [Goldilocks; DIGEST] {
    let mut state = [Goldilocks::ZERO; WIDTH];
    state[..DIGEST].copy_from_slice(&left);
    state[DIGEST..].copy_from_slice(&right);
    permute(&mut state);
    [state[0], state[1], state[2], state[3]]
}

/// The bytes of a digest: its elements in order, big-endian.
pub fn to_bytes(digest: [Goldilocks; DIGEST]) -> Digest {
    let mut out = Digest::default();
    for (bytes, element) in out.chunks_exact_mut(8).zip(digest) {
        bytes.copy_from_slice(&element.value().to_be_bytes());
    }
    out
}

/// The elements of a digest; `None` if one of them is not canonical.
pub fn from_bytes(bytes: &Digest) -> Option<[Goldilocks; DIGEST]> {
    let mut out = [Goldilocks::ZERO; DIGEST];
    for (element, bytes) in out.iter_mut().zip(bytes.chunks_exact(8)) {
        *element = Goldilocks::read_bytes(bytes)?;
    }
    Some(out)
}
