//! The layout of a proof of a claim: which columns there are, and where they are sampled. It is read off cairo-air's
//! components.

use cairo_air::cairo_components::CairoComponents;
use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use cairo_air::relations::CommonLookupElements;
use cairo_air::verifier::INTERACTION_POW_BITS;
use circle_air::PreProcessedColumnId;
use circle_proof::layout::{Column, Parts};
use stwo::core::air::{Component, Components};
use stwo::core::circle::CirclePoint;
use stwo::core::fields::qm31::SecureField;
use stwo::core::poly::circle::CanonicCoset;

use super::{Air13, public};
use crate::error::VerifyError;
use crate::preprocessed::{self, Variant};
use crate::version::AirVersion;

/// Values of the widest relation at most: cairo-air draws this many powers of alpha.
const RELATION_WIDTH: usize = 128;
/// Trees: main and interaction, after the preprocessed one.
const MAIN: usize = 1;
const INTERACTION: usize = 2;
/// Fractions in a logup column of four columns, at most.
const FRACTIONS: u64 = 2;
/// Any point, and any domain that has as many rows: offsets are the same everywhere.
const POINT: u128 = 987_654_321_987_654_321;
const LOG_ROWS: u32 = 20;

/// The parts of a claim that is checked, and its sums, which are checked too. All preprocessed columns are sampled, or
/// those alone that a component reads.
///
/// # Errors
/// If a component reads columns at a row that no component of cairo-air 1.3 reads.
pub(crate) fn parts(
    claim: &CairoClaim,
    sums: &CairoInteractionClaim,
    variant: Variant,
    samples_all: bool,
) -> Result<Parts, VerifyError> {
    let fixed = preprocessed::columns(variant);
    let ids: Vec<_> = fixed.iter().map(|column| PreProcessedColumnId { id: column.id.clone() }).collect();
    // Drawn elements do not change it.
    let all = CairoComponents::new(claim, &CommonLookupElements::dummy(), sums, &ids);
    let components = Components { components: all.components(), n_preprocessed_columns: fixed.len() };
    let point = CirclePoint::<SecureField>::get_point(POINT);
    let sampled = components.mask_points(point, LOG_ROWS, samples_all);
    let is_sampled = |column: usize| sampled[0].get(column).is_some_and(|points| !points.is_empty());
    let offsets = |column| if is_sampled(column) { vec![0] } else { Vec::new() };
    let preprocessed = (0..).zip(&fixed);
    let preprocessed = preprocessed.map(|(at, column)| Column { log_size: column.log_size, offsets: offsets(at) });
    let mut sizes = claim.log_sizes();
    // cairo-air lists the main tree first.
    sizes.insert(0, fixed.iter().map(|column| column.log_size).collect());
    let mut traces = Vec::new();
    for tree in [MAIN, INTERACTION] {
        let columns = sampled[tree].iter().zip(&sizes[tree]);
        let column =
            |(points, &log_size): (&Vec<_>, &u32)| Some(Column { log_size, offsets: offsets_of(points, point)? });
        traces.push(
            columns.map(column).collect::<Option<Vec<Column>>>().ok_or(VerifyError::Offset { version: Air13::NAME })?,
        );
    }
    let interaction = sizes[INTERACTION].iter().map(|log_size| 1_u64 << log_size).sum::<u64>();
    Ok(Parts {
        log_rows: sizes[MAIN].iter().copied().max().unwrap_or(0),
        preprocessed: preprocessed.collect(),
        traces,
        constraints: components.components.iter().map(|component: &&dyn Component| component.n_constraints()).sum(),
        fractions: interaction / 4 * FRACTIONS + public::public_data(&claim.public_data).memory_uses(),
        relation_width: RELATION_WIDTH,
        given_degree: 0,
        interaction_pow_bits: INTERACTION_POW_BITS,
    })
}

/// The row offsets of sample points: 0, or -1 and 0.
fn offsets_of(points: &[CirclePoint<SecureField>], point: CirclePoint<SecureField>) -> Option<Vec<isize>> {
    let step = CanonicCoset::new(LOG_ROWS).step();
    let offset = |sample: &_| [0, -1].into_iter().find(|at| *sample == point + step.mul_signed(*at).into_ef());
    points.iter().map(offset).collect()
}
