//! Hades on limbs of 64 bits, one permutation at a time: 4 full rounds, 83 partial ones, 4 full ones.

use super::lazy::{Number, canonical, folded, minus, montgomery, multiple, plus, product};
use super::{Felt252, HALF_FULL_ROUNDS, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH};

/// A state of the permutation: numbers below `2^256`.
pub type State = [Number; WIDTH];

/// The cube of a number below 9p; it is below 2p.
#[inline(always)]
fn cube(a: Number) -> Number {
    product(product(a, a), a)
}

/// The product of the matrix and numbers below 2p; they are below 10p, 6p and 8p.
#[inline(always)]
fn matrix([a, b, c]: State) -> State {
    let ab = plus(a, b);
    let ac = plus(a, c);
    let first = plus(plus(ab, c), plus(a, a));
    [first, minus(plus(ac, multiple(2)), b), minus(plus(ab, multiple(4)), plus(c, c))]
}

#[inline(always)]
fn full_rounds(mut state: State, constants: &[Felt252]) -> State {
    for round in constants.as_chunks::<WIDTH>().0 {
        for (x, constant) in state.iter_mut().zip(round) {
            *x = cube(plus(folded(*x), constant.montgomery()));
        }
        state = matrix(state);
    }
    state
}

/// The permutation; any numbers in, numbers below p out.
pub fn permute(state: &mut State) {
    let (first, rest) = ROUND_CONSTANTS.split_at(WIDTH * HALF_FULL_ROUNDS);
    let (partial, last) = rest.split_at(PARTIAL_ROUNDS);
    let [a, b, mut c] = full_rounds(state.map(montgomery), first);
    let [mut a, mut b] = [a, b].map(folded);
    for constant in partial {
        let [next_a, next_b, next_c] = matrix([a, b, cube(plus(c, constant.montgomery()))]);
        (a, b, c) = (folded(next_a), folded(next_b), next_c);
    }
    *state = full_rounds([a, b, c], last).map(canonical);
}
