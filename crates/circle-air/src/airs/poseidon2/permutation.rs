//! The Poseidon2 permutation (eprint 2023/323) over M31, width 16, S-box `x^5`, as Plonky3 instantiates it.

use stwo::core::fields::m31::{BaseField, P};

use super::constants::{FULL, FULL_ROUNDS, PARTIAL, PARTIAL_ROUNDS, WIDTH};
use crate::airs::merkle_tree::Element;

/// S-boxes of one permutation.
pub(super) const SBOXES: usize = WIDTH * FULL_ROUNDS + PARTIAL_ROUNDS;

/// The internal matrix is all ones plus this diagonal; the first is -2.
const DIAGONAL: [u32; WIDTH] = [
    P - 2,
    1,
    1 << 1,
    1 << 2,
    1 << 3,
    1 << 4,
    1 << 5,
    1 << 6,
    1 << 7,
    1 << 8,
    1 << 10,
    1 << 12,
    1 << 13,
    1 << 14,
    1 << 15,
    1 << 16,
];

/// The permutation, with S-boxes of the caller: all else is linear.
pub(super) fn permute<T: Element>(state: [T; WIDTH], mut sbox: impl FnMut(T) -> T) -> [T; WIDTH] {
    let (first, last) = FULL.split_at(FULL_ROUNDS / 2);
    let mut state = external(state);
    for constants in first {
        state = full_round(state, constants, &mut sbox);
    }
    for &constant in &PARTIAL {
        state[0] += BaseField::from(constant);
        state[0] = sbox(state[0].clone());
        state = internal(state);
    }
    for constants in last {
        state = full_round(state, constants, &mut sbox);
    }
    state
}

fn full_round<T: Element>(
    mut state: [T; WIDTH],
    constants: &[u32; WIDTH],
    sbox: &mut impl FnMut(T) -> T,
) -> [T; WIDTH] {
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value += BaseField::from(constant);
    }
    external(state.map(sbox))
}

/// The circulant matrix of the row (2, 3, 1, 1): `out_i = sum + x_i + 2 x_{i+1}`.
fn mix<T: Element>(x: [T; 4]) -> [T; 4] {
    let sum = x[0].clone() + x[1].clone() + x[2].clone() + x[3].clone();
    std::array::from_fn(|i| {
        let next = x[(i + 1) % 4].clone();
        sum.clone() + x[i].clone() + next.clone() + next
    })
}

/// [`mix`] on each four elements; then each element gets the sum of the four elements at its place added.
fn external<T: Element>(state: [T; WIDTH]) -> [T; WIDTH] {
    let mixed: [[T; 4]; 4] = std::array::from_fn(|block| mix(std::array::from_fn(|i| state[4 * block + i].clone())));
    let sums: [T; 4] =
        std::array::from_fn(|i| mixed[0][i].clone() + mixed[1][i].clone() + mixed[2][i].clone() + mixed[3][i].clone());
    std::array::from_fn(|i| mixed[i / 4][i % 4].clone() + sums[i % 4].clone())
}

/// `out_i = sum + DIAGONAL_i x_i`.
fn internal<T: Element>(state: [T; WIDTH]) -> [T; WIDTH] {
    let [first, rest @ ..] = state.clone();
    let sum = rest.into_iter().fold(first, |sum, value| sum + value);
    let mut diagonal = DIAGONAL.into_iter();
    state.map(|value| {
        let factor = diagonal.next().unwrap_or(0);
        sum.clone() + value * BaseField::from(factor)
    })
}

#[cfg(test)]
mod tests {
    use p3_field::{PrimeCharacteristicRing, PrimeField32};
    use p3_mersenne_31::{Mersenne31, default_mersenne31_poseidon2_16};
    use p3_symmetric::Permutation;
    use stwo::core::fields::FieldExpOps;

    use super::*;

    #[test]
    fn the_permutation_is_that_of_plonky3() {
        let reference = default_mersenne31_poseidon2_16();
        let mut state: [u32; WIDTH] = std::array::from_fn(|i| i as u32);
        for round in 0..50 {
            let expected = reference.permute(state.map(Mersenne31::from_u32)).map(|value| value.as_canonical_u32());
            let ours = permute(state.map(BaseField::from), |x| x.pow(5));
            assert_eq!(ours.map(|value| value.0), expected, "round {round}");
            state = expected;
        }
    }
}
