//! The security of a batch, round by round (section 8).

use proof_format::security::math::log2;

use super::error::ShapeError;
use super::proof::Instance;
use super::verify::layers;

/// Bits of security of a batch over a field of `2^log_field` elements, rounded down: the error of its worst draw. Draws
/// are the weight of the trees, the weight of the columns, the challenge of each round, and the challenge between two
/// children.
///
/// # Errors
/// If there can be no such batch.
pub fn security_bits(instances: &[Instance], log_field: f64) -> Result<u32, ShapeError> {
    let layers = layers(instances)?;
    // A round has degree three, unless all trees have one layer: then there is no round.
    let round = if layers > 1 { crate::MAX_DEGREE } else { 1 };
    let worst = round.max(instances.len() - 1).max(1);
    Ok((log_field - log2(worst as f64)).max(0.0) as u32)
}
