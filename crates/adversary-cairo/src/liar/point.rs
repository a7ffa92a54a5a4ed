//! Values at the out-of-domain point that are not the columns' values, and satisfy the identity of the verifier.

use cairo::air_1_3::elements;
use cairo::{AirProof, Proof, preprocessed};
use cairo_air::cairo_components::CairoComponents;
use circle_air::{PreProcessedColumnId, qm31, secure};
use circle_proof::Suite;
use field::QM31;
use stwo::core::air::Components;
use stwo::core::circle::CirclePoint;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::{SECURE_EXTENSION_DEGREE, SecureField};

use super::finish::{committed, sums};

/// log2 of (rows / rows of a half of the composition).
const LOG_SPLIT: u32 = 1;

/// A value that is replaced by another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swap {
    pub(super) from: QM31,
    pub(super) to: QM31,
}

/// The value of a main column that the seed chooses, and that of the composition which goes with it; `None` if no
/// column has a value of its own. Both are known before either is mixed: the point depends on commitments alone.
pub(super) fn satisfying(honest: &Proof, suite: Suite, seed: u64) -> Option<[Swap; 2]> {
    let stark = &honest.stark_proof.0;
    let (round, drawn) = committed(honest, suite).draw(Some(honest.interaction_pow), 2);
    let sums = sums(honest);
    let (rounds, alpha) = round.commit(Some((&sums, stark.commitments[2].0))).ok()?.weight();
    let point = rounds.point(stark.commitments[3].0).1?;
    let point = CirclePoint { x: secure(point.x), y: secure(point.y) };

    let all: Vec<SecureField> = stark.sampled_values.iter().flatten().flatten().copied().collect();
    // Any other sample with the same value would be changed, too; and a column of constants has one value everywhere.
    let is_own = |value: &SecureField| {
        let is_constant = value.to_m31_array()[1..].iter().all(|coordinate| coordinate.0 == 0);
        !is_constant && all.iter().filter(|other| *other == value).count() == 1
    };
    let main = stark.sampled_values[1].iter().enumerate();
    let own: Vec<usize> =
        main.filter(|(_, values)| values.len() == 1 && is_own(&values[0])).map(|(at, _)| at).collect();
    let column = *own.get(seed as usize % own.len().max(1))?;
    let composition = stark.sampled_values[3].first()?.first().filter(|value| is_own(value))?;

    let mut values = stark.sampled_values.clone();
    values[1][column][0] += SecureField::from(BaseField::from(3));
    let fixed = preprocessed::columns(honest.variant());
    let ids: Vec<_> = fixed.iter().map(|column| PreProcessedColumnId { id: column.id.clone() }).collect();
    let of_claim = CairoComponents::new(&honest.claim, &elements(&drawn), &honest.interaction_claim, &ids);
    let components = Components { components: of_claim.components(), n_preprocessed_columns: ids.len() };
    let log_degree = components.composition_log_degree_bound() - LOG_SPLIT;
    let wanted = components.eval_composition_polynomial_at_point(point, &values, secure(alpha), log_degree);
    let half = |first: usize| {
        let coordinates: [SecureField; SECURE_EXTENSION_DEGREE] = std::array::from_fn(|at| values[3][first + at][0]);
        SecureField::from_partial_evals(coordinates)
    };
    let claimed = half(0) + point.repeated_double(log_degree - 1).x * half(SECURE_EXTENSION_DEGREE);

    let swap = |from: SecureField, to: SecureField| Swap { from: qm31(from), to: qm31(to) };
    let before = stark.sampled_values[1][column][0];
    Some([swap(before, values[1][column][0]), swap(*composition, *composition + wanted - claimed)])
}
