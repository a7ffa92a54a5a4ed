//! The relation of the shipped AIRs: tuples of `N` base values under drawn `z` and `alpha`.

use field::{Field, M31, QM31};
use stwo_constraint_framework::logup::LookupElements;
use stwo_constraint_framework::{Relation, RelationEFTraitBound};

use crate::{ClaimedSumError, lookup_elements};

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

/// The denominator of a tuple of public values: `sum alpha^i v_i - z`.
pub(super) fn denominator(z: QM31, alpha: QM31, tuple: impl IntoIterator<Item = M31>) -> QM31 {
    let mut power = QM31::ONE;
    tuple.into_iter().fold(-z, |sum, value| {
        let term = power * value;
        power *= alpha;
        sum + term
    })
}

/// Checks that `sums`, one of each of `components` components, add up to what `expected` makes of `z` and `alpha`;
/// `None` says that a denominator is zero.
pub(crate) fn check_sums(
    drawn: &[QM31],
    sums: &[QM31],
    components: usize,
    expected: impl FnOnce(QM31, QM31) -> Option<QM31>,
) -> Result<(), ClaimedSumError> {
    let &[z, alpha] = drawn else { return Err(ClaimedSumError::Drawn { given: drawn.len(), needed: 2 }) };
    if sums.len() != components {
        return Err(ClaimedSumError::Count { given: sums.len(), needed: components });
    }
    let expected = expected(z, alpha).ok_or(ClaimedSumError::Denominator)?;
    let claimed: QM31 = sums.iter().copied().sum();
    if claimed != expected {
        return Err(ClaimedSumError::Value { claimed: claimed.to_string(), expected: expected.to_string() });
    }
    Ok(())
}

/// The check of a statement without lookups.
pub(super) fn check_no_sums(sums: &[QM31]) -> Result<(), ClaimedSumError> {
    if sums.is_empty() { Ok(()) } else { Err(ClaimedSumError::Count { given: sums.len(), needed: 0 }) }
}
