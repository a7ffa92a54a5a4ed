//! The values of FRI's layers, by stwo's own functions.

use circle_air::{base, qm31, secure};
use field::QM31;
use field::circle::CirclePoint as Point;
use stwo::core::circle::{CirclePoint, Coset};
use stwo::core::fri::{fold_circle_into_line, fold_coset};
use stwo::core::pcs::TreeVec;
use stwo::core::pcs::quotients::{PointSample, fri_answers};
use stwo::core::poly::circle::{CanonicCoset, CircleDomain};
use stwo::core::poly::line::LineDomain;
use stwo::core::utils::bit_reverse_index;

use crate::layout::Layout;
use crate::replay::{Replayed, sample_point};
use crate::{Proof, VerifyError};

/// The values of the first layer at the positions of the queries, as stwo's verifier computes them.
pub(crate) fn quotients(layout: &Layout, proof: &Proof, replayed: &Replayed) -> Result<Vec<QM31>, VerifyError> {
    let point = |offset: isize| {
        let Point { x, y } = sample_point(layout.log_degree(), replayed.point, offset);
        CirclePoint { x: secure(x), y: secure(y) }
    };
    let trees = || layout.trees.iter().zip(&proof.sampled_values);
    let sizes = trees().map(|(tree, _)| tree.columns.iter().map(|column| column.log_size).collect()).collect();
    let samples = trees()
        .map(|(tree, sampled)| {
            let columns = tree.columns.iter().zip(sampled);
            let samples = columns.map(|(column, values)| {
                let of = |(&offset, &value)| PointSample { point: point(offset), value: secure(value) };
                column.offsets.iter().zip(values).map(of).collect()
            });
            samples.collect()
        })
        .collect();
    let queried = proof.queried_values.iter();
    let queried = queried.map(|tree| tree.iter().map(|column| column.iter().copied().map(base).collect()).collect());
    let answers = fri_answers(
        TreeVec(sizes),
        TreeVec(samples),
        secure(replayed.weight),
        &replayed.positions,
        TreeVec(queried.collect()),
        layout.log_domain,
    )?;
    Ok(answers.into_iter().map(qm31).collect())
}

/// The domain of a layer.
#[derive(Clone, Copy)]
pub(crate) enum Domain {
    Circle(CircleDomain),
    Line(LineDomain),
}

impl Domain {
    /// The domain of the first layer, of `2^log_size` points.
    pub(crate) fn first(log_size: u32) -> Self {
        Self::Circle(CanonicCoset::new(log_size).circle_domain())
    }

    /// Log2 of its points.
    pub(crate) fn log_size(self) -> u32 {
        match self {
            Self::Circle(domain) => domain.log_size(),
            Self::Line(domain) => domain.log_size(),
        }
    }

    /// The domain of the next layer.
    pub(crate) fn folded(self, step: u32) -> Self {
        Self::Line(match self {
            Self::Circle(domain) => LineDomain::new(Coset::half_odds(domain.log_size() - step)),
            Self::Line(domain) => domain.repeated_double(step),
        })
    }

    /// The fold of the group of values that begins at a position, down to one value.
    pub(crate) fn fold(self, at: usize, group: &[QM31], factor: QM31) -> QM31 {
        let step = group.len().ilog2();
        let (values, factor) = (group.iter().copied().map(secure).collect::<Vec<_>>(), secure(factor));
        let first = bit_reverse_index(at, self.log_size());
        qm31(match self {
            Self::Line(domain) => {
                fold_coset(values, LineDomain::new(Coset::new(domain.coset().index_at(first), step)), factor)
            }
            Self::Circle(domain) => {
                let first = domain.index_at(first);
                let halved = fold_circle_into_line(&values, CircleDomain::new(Coset::new(first, step - 1)), factor);
                fold_coset(halved, LineDomain::new(Coset::new(first, step - 1)), factor * factor)
            }
        })
    }
}
