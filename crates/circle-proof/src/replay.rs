//! The checks after which stwo's verifier cannot panic, and the challenges of the transcript, which they draw.

use std::collections::BTreeMap;

use field::circle::{CanonicDomain, CirclePoint, CirclePointIndex};
use field::{CM31, Field, QM31};

use crate::layout::Layout;
use crate::rounds::{Composition, ascending};
use crate::{Proof, VerifyError, shape};

/// Whether stwo's verifier can be asked about a proof of that layout, in a state in which all traces are committed:
/// after these checks it cannot panic, and takes time and memory by the layout. They are: the lengths of all lists, the
/// proof of work, nothing that would be divided by zero. The proof's elements must be canonical.
///
/// This decides nothing about the proof: stwo's verifier does.
///
/// # Errors
/// The check that failed.
pub fn check(layout: &Layout, proof: &Proof, rounds: Composition) -> Result<(), VerifyError> {
    check_replayed(layout, proof, rounds).map(|_| ())
}

/// [`check`], and the challenges that the transcript gives after the traces.
pub(crate) fn check_replayed(layout: &Layout, proof: &Proof, rounds: Composition) -> Result<Replayed, VerifyError> {
    shape::check_fixed(layout, proof)?;
    check_opened(layout, proof, rounds)
}

/// The checks that depend on the transcript, after [`shape::check_fixed`].
pub(crate) fn check_opened(layout: &Layout, proof: &Proof, rounds: Composition) -> Result<Replayed, VerifyError> {
    let replayed = replay(rounds, layout, proof)?;
    check_denominators(layout, replayed.point, &replayed.positions)?;
    shape::check_opened(layout, proof, &replayed.positions)?;
    Ok(replayed)
}

/// The values that the transcript gives after the traces.
pub(crate) struct Replayed {
    /// The out-of-domain point.
    pub(crate) point: CirclePoint<QM31>,
    /// The factor whose powers weigh the quotients.
    pub(crate) weight: QM31,
    /// The factor of the first fold of each layer.
    pub(crate) factors: Vec<QM31>,
    /// The positions of the queries as they were drawn.
    pub(crate) drawn: Vec<usize>,
    /// The same in ascending order, each once.
    pub(crate) positions: Vec<usize>,
}

fn replay(rounds: Composition, layout: &Layout, proof: &Proof) -> Result<Replayed, VerifyError> {
    let (out_of_domain, _) = rounds.weight();
    let (sampled, point) = out_of_domain.point(proof.commitments[layout.trees.len() - 1]);
    let point = point.ok_or(VerifyError::Degenerate)?;
    let values: Vec<QM31> = proof.sampled_values.iter().flatten().flatten().copied().collect();
    let (mut folding, weight) = sampled.quotients(&values);
    let factors = proof.fri_proof.layers().map(|layer| folding.layer(layer.commitment)).collect();
    let work = folding.last(&proof.fri_proof.last_layer);
    let (nonce, bits) = (proof.proof_of_work, layout.options.pow_bits);
    if !work.is_valid_nonce(bits, nonce) {
        return Err(VerifyError::ProofOfWork { nonce, bits });
    }
    let drawn = work.drawn_queries(nonce, layout.log_domain, layout.options.queries);
    Ok(Replayed { point, weight, factors, positions: ascending(drawn.clone()), drawn })
}

/// The sample point of a row offset: the out-of-domain point, moved by that many rows of `2^log_degree`.
pub(crate) fn sample_point(log_degree: u32, point: CirclePoint<QM31>, offset: isize) -> CirclePoint<QM31> {
    let step = CirclePointIndex::subgroup_generator(log_degree) * offset.unsigned_abs() as u64;
    let step = if offset < 0 { -step } else { step };
    point + step.to_point().into_extension()
}

/// Whether nothing that is divided by is zero: the vanishing polynomial at z, and the line through a sample point and
/// its conjugate at a query (section 10). An attacker could search for such a point to make the verifier fail.
fn check_denominators(layout: &Layout, point: CirclePoint<QM31>, positions: &[usize]) -> Result<(), VerifyError> {
    let (log_domain, log_degree) = (layout.log_domain, layout.log_degree());
    let moved = |offset: isize| sample_point(log_degree, point, offset);
    // By offset and, for periodicity samples, log2 of the committed column.
    let mut points = BTreeMap::new();
    for column in layout.trees.iter().flat_map(|tree| &tree.columns) {
        for &offset in &column.offsets {
            points.entry((offset, None)).or_insert_with(|| moved(offset));
        }
        if let [_, offset] = column.offsets[..] {
            points.entry((offset, Some(column.log_size))).or_insert_with(|| {
                let period = CirclePointIndex::subgroup_generator(log_domain) * (1 << column.log_size);
                moved(offset) + period.to_point().into_extension()
            });
        }
    }
    let domain = CanonicDomain::new(log_domain);
    let queries: Vec<_> = positions.iter().map(|&position| domain.at_storage(position)).collect();
    let meets = |p: &CirclePoint<QM31>| {
        let [[x0, x1], [y0, y1]] = [p.x, p.y].map(|coordinate| [coordinate.z0(), coordinate.z1()]);
        y1 == CM31::ZERO || queries.iter().any(|q| (x0 - q.x) * y1 == (y0 - q.y) * x1)
    };
    if CirclePoint::repeated_double_x(point.x, log_degree - 1) == QM31::ZERO || points.values().any(meets) {
        return Err(VerifyError::Degenerate);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use circle_air::airs::build;
    use field::M31;
    use field::circle::Coset;

    use super::*;
    use crate::CircleOptions;
    use crate::verify::layout_of;

    /// A statement of 16 rows and its layout.
    fn layout() -> Layout {
        let statement = build("fibonacci", 4, &[]).unwrap();
        layout_of(&*statement, &CircleOptions::default()).unwrap()
    }

    #[test]
    fn points_that_would_be_divided_by_are_refused() {
        let layout = layout();
        let point = CirclePoint::from_parameter(QM31([987, 654, 321, 98].map(M31::new))).expect("a point");
        assert!(check_denominators(&layout, point, &[0, 5, 63]).is_ok());
        // A point of the base field is its own conjugate.
        let real = Coset::canonic(20).at(3).into_extension();
        assert!(matches!(check_denominators(&layout, real, &[]), Err(VerifyError::Degenerate)));
        // A sample point is moved by a row, so the line through the moved point may meet a query.
        let step = CirclePointIndex::subgroup_generator(layout.log_degree()) * 2;
        let moved = real - step.to_point().into_extension();
        assert!(matches!(check_denominators(&layout, moved, &[]), Err(VerifyError::Degenerate)));
    }
}
