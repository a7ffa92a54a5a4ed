//! Points of the STARK curve.

use num_bigint::BigUint;
use starknet_types_core::curve::{AffinePoint, ProjectivePoint};
use starknet_types_core::felt::Felt;

/// `k` times the generator, `k` not zero.
pub(crate) fn multiple(k: u32) -> (BigUint, BigUint) {
    let generator = ProjectivePoint::try_from(AffinePoint::generator()).expect("a point");
    let point = (&generator * Felt::from(k)).to_affine().expect("a multiple that is not the point at infinity");
    (point.x().to_biguint(), point.y().to_biguint())
}
