//! The identity that a verifier checks at the out-of-domain point.

use circle_air::RecordedStatement;
use field::circle::CirclePoint;
use field::{Field, M31, QM31};
use stwo::core::pcs::TreeVec;
use stwo::core::pcs::quotients::PointSample;

/// Values by tree, column and sample point.
pub type Samples = Vec<Vec<Vec<QM31>>>;
/// The argument of [`stwo::core::pcs::quotients::fri_answers`].
pub type PointSamples = TreeVec<Vec<Vec<PointSample>>>;

/// The verifier's side of the out-of-domain identity, for any values that the prover may claim.
pub struct Identity<'a> {
    pub(super) recorded: &'a RecordedStatement,
    pub(super) params: &'a [Vec<QM31>],
    pub(super) alpha: QM31,
    /// The out-of-domain point.
    pub point: CirclePoint<QM31>,
    pub(super) offsets: &'a [Vec<Vec<isize>>],
    /// Log2 of the rows that the composition's halves have.
    pub log_degree: u32,
}

impl Identity<'_> {
    /// The right value of the composition at the point.
    ///
    /// # Panics
    /// If the values are not of the statement's shape.
    pub fn composition(&self, values: &Samples) -> QM31 {
        let position = |tree: usize, column: usize, offset: i32| {
            let offsets = &self.offsets[tree][column];
            offsets.iter().position(|other| *other == offset as isize).expect("every load is in the mask")
        };
        let load = |tree: usize, column: usize, offset: i32| values[tree][column][position(tree, column, offset)];
        let vanishing = CirclePoint::repeated_double_x(self.point.x, self.log_degree - 1);
        constraints(self.recorded, self.params, self.alpha, load) * vanishing.inverse().expect("not in the domain")
    }

    /// Its value from the claimed halves.
    ///
    /// # Panics
    /// If there are not eight columns of the composition.
    pub fn claimed(&self, values: &Samples) -> QM31 {
        let halves = &values[values.len() - 1];
        let half = |first: usize| (0..4).map(|c| unit(c) * halves[first + c][0]).sum::<QM31>();
        half(0) + CirclePoint::repeated_double_x(self.point.x, self.log_degree - 1) * half(4)
    }
}

/// The weighted sum of all constraints, from the columns by tree, place in the tree and row offset.
pub(super) fn constraints(
    recorded: &RecordedStatement,
    params: &[Vec<QM31>],
    alpha: QM31,
    load: impl Fn(usize, usize, i32) -> QM31,
) -> QM31 {
    let (mut sum, mut first) = (QM31::ZERO, [0; 3]);
    for (index, (component, params)) in recorded.components.iter().zip(params).enumerate() {
        let values = component.constraints.evaluate(params, |tree, column, offset| match tree {
            0 => load(0, recorded.preprocessed_indices[index][column], offset),
            _ => load(tree, first[tree] + column, offset),
        });
        sum = values.into_iter().fold(sum, |sum, value| sum * alpha + value);
        (1..3).for_each(|tree| first[tree] += component.width(tree));
    }
    sum
}

/// The element of the basis of the extension.
///
/// # Panics
/// If there is none: there are four.
pub fn unit(coordinate: usize) -> QM31 {
    let mut coordinates = [M31::ZERO; 4];
    coordinates[coordinate] = M31::ONE;
    QM31(coordinates)
}
