//! The STARK curve `y^2 = x^3 + x + β`: sums of points, and Pedersen hashes.

mod constants;
#[cfg(feature = "vm")]
pub(crate) mod pedersen;
mod point;

pub(crate) use field::stark252::lazy::Number;
#[cfg(feature = "vm")]
pub(crate) use field::stark252::lazy::canonical;
use field::stark252::lazy::montgomery;

pub(crate) use constants::BETA;
pub use constants::{PEDERSEN_POINTS, PEDERSEN_SHIFT};
#[cfg(feature = "vm")]
pub(crate) use point::Affine;
pub(crate) use point::Point;

use crate::Felt252;

/// The number of a felt in Montgomery form.
pub(crate) fn number(felt: &Felt252) -> Number {
    montgomery(felt.to_le_digits())
}
