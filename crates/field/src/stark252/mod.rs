//! The Stark field, integers mod `p = 2^251 + 17 2^192 + 1`, and the permutation Hades over it.
//!
//! [`Felt252`] is exact and canonical, plain code that other code is checked against. [`lazy`] has products and sums
//! of numbers that are reduced late, for code that computes much: [`hades`] is made of them.

mod constants;
mod felt;
pub mod hades;
mod inverse;
pub mod lazy;

pub use constants::{CONSTANTS, HALF_FULL_ROUNDS, PARTIAL_ROUNDS};
pub use felt::{Felt252, MODULUS};
pub use inverse::inverse;

/// Elements of Hades' state.
pub const WIDTH: usize = 3;

/// The constants of Hades' rounds, in the order in which they are added.
pub const ROUND_CONSTANTS: [Felt252; CONSTANTS] = {
    let (mut out, mut at) = ([Felt252::ZERO; CONSTANTS], 0);
    while at < CONSTANTS {
        out[at] = Felt252::reduced(constants::NUMBERS[at]);
        at += 1;
    }
    out
};
