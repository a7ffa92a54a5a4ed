//! The part of a proof that is the same whatever the run is: the preprocessed columns of its variant, committed to
//! while the run is made.

use std::sync::Arc;

use cairo_run::RunSigns;
use circle_proof::CircleOptions;
use gpu_hal::{CircleStark, EvalOrder, StarkBackend};
use prover_core::circle::{PreprocessedAhead, PreprocessedColumns};

use crate::components::bounds::ADDRESS_COLUMNS;
use crate::preprocessed::{Variant, max_log_seq};
use crate::prove::Error;
use crate::version::AirVersion;

/// Commits to the columns of a variant on a backend, for [`crate::prove::CairoProver::with_columns`]. `None` where
/// there is no room for them at once, where they take more than `most` bytes, or where no proof has these options.
///
/// # Errors
/// The backend's errors.
pub fn columns<V: AirVersion, B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    variant: Variant,
    options: &CircleOptions,
    most: u64,
) -> Result<Option<PreprocessedAhead<B>>, Error> {
    if !V::takes(options.suite) {
        return Ok(None);
    }
    let (declared, values) = (V::preprocessed(variant), || V::preprocessed_values(variant));
    let columns = PreprocessedColumns { declared, order: EvalOrder::Storage, values: &values };
    Ok(PreprocessedAhead::new(backend, &columns, options, most)?)
}

/// The smallest variant that may hold a run, by what that has shown so far. It may show more later.
pub fn shown_variant(signs: &RunSigns) -> Variant {
    let is_long = signs.addresses() > (ADDRESS_COLUMNS as u64) << max_log_seq(Variant::CanonicalSmall);
    match (is_long || signs.uses_ec_op(), signs.uses_pedersen()) {
        (true, true) => Variant::Canonical,
        (true, false) => Variant::CanonicalWithoutPedersen,
        (false, _) => Variant::CanonicalSmall,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_shows_decides_its_variant() {
        let signs = RunSigns::default();
        let shown = |uses_pedersen, uses_ec_op, addresses| {
            signs.show(uses_pedersen, uses_ec_op, addresses);
            shown_variant(&signs)
        };
        assert_eq!(shown(false, false, 0), Variant::CanonicalSmall);
        assert_eq!(shown(true, false, 16 << 20), Variant::CanonicalSmall);
        assert_eq!(shown(true, false, (16 << 20) + 1), Variant::Canonical);
        assert_eq!(shown(false, false, (16 << 20) + 1), Variant::CanonicalWithoutPedersen);
        assert_eq!(shown(false, true, 0), Variant::CanonicalWithoutPedersen);
        assert_eq!(shown(true, true, 0), Variant::Canonical);
    }
}
