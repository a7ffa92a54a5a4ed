//! Lookups of public values.

use field::{Field, M31, PrimeField, QM31};

use crate::ClaimedSumError;
use crate::interaction::denominator;

/// A tuple that public values look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicLookup {
    /// Number of its relation.
    pub relation: usize,
    /// Its values.
    pub tuple: Vec<M31>,
    /// How often: negative if public values yield it.
    pub multiplicity: M31,
}

impl PublicLookup {
    /// The multiplicity over the denominator. `drawn` has the elements of all relations.
    pub(crate) fn fraction(&self, drawn: &[QM31]) -> Result<QM31, ClaimedSumError> {
        let first = 2 * self.relation;
        let pair =
            drawn.get(first..first + 2).ok_or(ClaimedSumError::Drawn { given: drawn.len(), needed: first + 2 })?;
        let inverse = denominator((pair[0], pair[1]), &self.tuple).inverse().ok_or(ClaimedSumError::Denominator)?;
        Ok(inverse * self.multiplicity)
    }
}

/// The lookups of public values, counted without the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublicCount {
    /// How often: absolute multiplicities, added up.
    pub lookups: u64,
    /// Values in the widest tuple.
    pub width: usize,
}

impl PublicCount {
    /// The count of these lookups.
    pub fn of(lookups: &[PublicLookup]) -> Self {
        Self {
            lookups: lookups.iter().map(|lookup| times(lookup.multiplicity)).fold(0, u64::saturating_add),
            width: lookups.iter().map(|lookup| lookup.tuple.len()).max().unwrap_or(0),
        }
    }
}

/// How often a base value, or its negative, says.
pub(crate) fn times(value: M31) -> u64 {
    u64::from(value.value()).min(M31::ORDER - u64::from(value.value()))
}
