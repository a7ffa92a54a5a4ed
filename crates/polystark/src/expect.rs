//! What a caller insists on, beyond that a proof is valid for the statement beside it.

use std::collections::BTreeMap;
use std::fmt;

use proof_format::text::shown;

use crate::types::FlavourTypes;

/// Which statement a file must hold. What is not said may be anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect<F: FlavourTypes> {
    /// Name of the AIR.
    pub air: Option<String>,
    /// Rows of the trace, of the first component where there are several.
    pub rows: Option<u64>,
    /// Parameters of the AIR that must have these values; others may have any. One that only the public values depend on, as
    /// the `s` of hashes, takes the verifier as long as hashing all rows.
    pub parameters: BTreeMap<String, u64>,
    /// All public inputs, in order.
    pub public_inputs: Option<Vec<F::Public>>,
    /// Options of the proof.
    pub options: F::ExpectOptions,
}

impl<F: FlavourTypes> Default for Expect<F> {
    fn default() -> Self {
        Self {
            air: None,
            rows: None,
            parameters: BTreeMap::new(),
            public_inputs: None,
            options: F::ExpectOptions::default(),
        }
    }
}

/// The statement is another one. Of long values the beginning and the end is said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {found}, expected: {expected}")]
pub struct Mismatch {
    /// What was compared.
    pub what: String,
    /// What the file says.
    pub found: String,
    /// What it should say.
    pub expected: String,
}

pub(crate) fn compare<T: PartialEq + fmt::Display + ?Sized>(
    what: &str,
    expected: Option<&T>,
    found: &T,
) -> Result<(), Mismatch> {
    match expected {
        Some(expected) if expected != found => Err(mismatch(what, found, expected)),
        _ => Ok(()),
    }
}

/// Compares lists one by one: neither can be shown as a whole, as a file may have any number of items.
pub(crate) fn compare_all<T: PartialEq + fmt::Display>(
    what: &str,
    expected: Option<&[T]>,
    found: &[T],
) -> Result<(), Mismatch> {
    let Some(expected) = expected else { return Ok(()) };
    if found.len() != expected.len() {
        return Err(mismatch(&format!("the number of {what}s"), found.len(), expected.len()));
    }
    let different = found.iter().zip(expected).enumerate().find(|(_, (found, expected))| found != expected);
    different.map_or(Ok(()), |(index, (found, expected))| Err(mismatch(&format!("{what} {index}"), found, expected)))
}

pub(crate) fn mismatch(what: &str, found: impl fmt::Display, expected: impl fmt::Display) -> Mismatch {
    let said = |value: &dyn fmt::Display| shown(&value.to_string()).to_string();
    Mismatch { what: what.to_owned(), found: said(&found), expected: said(&expected) }
}
