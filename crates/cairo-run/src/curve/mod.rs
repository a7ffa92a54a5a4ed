//! The STARK curve `y^2 = x^3 + x + β`: sums of points, and Pedersen hashes.

mod constants;
#[cfg(feature = "vm")]
pub(crate) mod pedersen;
mod point;

use field::stark252::lazy::montgomery;
pub(crate) use field::stark252::lazy::{Number, canonical};

pub(crate) use constants::BETA;
pub use constants::{PEDERSEN_POINTS, PEDERSEN_SHIFT};
pub(crate) use point::{Affine, Point};

use crate::Felt252;

/// The number of a felt in Montgomery form.
pub(crate) fn number(felt: &Felt252) -> Number {
    montgomery(felt.to_le_digits())
}
