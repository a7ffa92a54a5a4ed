//! Points of the STARK curve `y^2 = x^3 + x + β`.

use blake2::digest::Digest;
use cairo_lang_casm::operand::CellRef;
use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::{Machine, operand};
use crate::curve::BETA;

/// Writes point number `index` of a fixed sequence. A program uses such a point to start a sum of points that never
/// meets a special case, and takes it off in the end; a random one would give every run another proof.
///
/// The candidates for `x` are `Blake2s(index, attempt)`; the first one on the curve is taken, with the smaller `y`.
pub(super) fn random_point(vm: &mut Machine<'_>, index: u64, (x, y): (&CellRef, &CellRef)) -> Result<(), HintError> {
    let (point_x, point_y) = point(index);
    operand::write(vm, x, point_x)?;
    operand::write(vm, y, point_y)
}

fn point(index: u64) -> (Felt252, Felt252) {
    let candidates = (0u64..).map(|attempt| {
        let mut hasher = blake2::Blake2s256::new();
        hasher.update(b"polystark: a point of the STARK curve");
        hasher.update(index.to_le_bytes());
        hasher.update(attempt.to_le_bytes());
        Felt252::from_bytes_le(&hasher.finalize().into())
    });
    // Half of all x are on the curve, so this ends.
    let mut points = candidates.filter_map(|x| Some((x, (x * x * x + x + BETA).sqrt()?)));
    points.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_on_the_curve_and_differ() {
        let points: Vec<_> = (0..8).map(point).collect();
        for (index, (x, y)) in points.iter().enumerate() {
            assert_eq!(y * y, x * x * x + x + BETA, "point {index}");
            assert!(!points[..index].contains(&(*x, *y)), "point {index} came before");
        }
    }
}
