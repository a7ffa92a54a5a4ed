//! The relation of the shipped AIRs: tuples of `N` base values under drawn `z` and `alpha`.

use field::QM31;
use stwo_constraint_framework::logup::LookupElements;
use stwo_constraint_framework::{Relation, RelationEFTraitBound};

use crate::lookup_elements;

/// Tuples `(v_0, ..., v_{N-1})`, whose denominator is `sum alpha^i v_i - z`.
#[derive(Clone, Debug)]
pub(super) struct Lookup<const N: usize>(LookupElements<N>);

impl<const N: usize> Lookup<N> {
    /// The only relation of a statement.
    ///
    /// # Panics
    /// If there are not two elements.
    pub(super) fn new(drawn: &[QM31]) -> Self {
        Self(lookup_elements(drawn, 0))
    }
}

impl<const N: usize, F: Clone, EF: RelationEFTraitBound<F>> Relation<F, EF> for Lookup<N> {
    fn combine(&self, values: &[F]) -> EF {
        self.0.combine(values)
    }

    fn get_name(&self) -> &str {
        "Lookup"
    }

    fn get_size(&self) -> usize {
        N
    }
}
