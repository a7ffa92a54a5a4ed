//! Lookups of an AIR of ours, and the drawn elements that combine their values.

use field::{M31, QM31, powers};
use num_traits::Zero;
use stwo_constraint_framework::EvalAtRow;

use crate::framework::secure;

/// A fraction that every row of a table adds to the sum that must be zero:
/// `count / (bus + alpha v_0 + alpha^2 v_1 + ... - z)`, with drawn `z` and `alpha`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// A constant that keeps messages of different meaning apart.
    pub bus: M31,
    /// Number of values. All messages of one bus must have the same number: a shorter one equals one that ends with
    /// zeros.
    pub values: usize,
    /// Number of the interaction column that sums it up; they begin at 0 and none is left out.
    pub batch: usize,
}

/// How many outputs these lookups take.
pub(crate) fn outputs(lookups: &[Lookup]) -> usize {
    lookups.iter().map(|lookup| 1 + lookup.values).sum()
}

/// The drawn elements, as stwo's `combine` takes them.
#[derive(Debug)]
pub(crate) struct Relation {
    z: QM31,
    /// `1, alpha, alpha^2, ...`
    powers: Vec<QM31>,
}

impl Relation {
    pub(crate) fn new(drawn: &[QM31], width: usize) -> Self {
        let &[z, alpha] = drawn else { panic!("{} elements drawn, a statement with lookups needs 2", drawn.len()) };
        Self { z, powers: powers(alpha).take(width).collect() }
    }

    /// `sum alpha^i v_i - z`.
    pub(crate) fn combine<E: EvalAtRow>(&self, message: impl Iterator<Item = E::F>) -> E::EF {
        let terms = message.zip(&self.powers);
        terms.fold(E::EF::zero(), |sum, (value, power)| sum + E::EF::from(secure(*power)) * value)
            - E::EF::from(secure(self.z))
    }
}
