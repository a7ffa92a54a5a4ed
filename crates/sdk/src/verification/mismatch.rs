//! A difference from an expectation.

use std::fmt;

use proof_format::text::excerpt;

/// The statement is another one. Long values show their beginning and end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {found}, expected: {expected}")]
pub struct Mismatch {
    /// The compared thing.
    pub what: String,
    /// The file's value.
    pub found: String,
    /// The expected value.
    pub expected: String,
}

impl Mismatch {
    /// A difference; of long values the beginning and the end is kept.
    pub fn new(what: &str, found: impl fmt::Display, expected: impl fmt::Display) -> Self {
        let said = |value: &dyn fmt::Display| excerpt(&value.to_string()).to_string();
        Self { what: what.to_owned(), found: said(&found), expected: said(&expected) }
    }

    /// Compares values, if one is expected.
    ///
    /// # Errors
    /// If they differ.
    pub fn check<T: PartialEq + fmt::Display + ?Sized>(
        what: &str,
        expected: Option<&T>,
        found: &T,
    ) -> Result<(), Self> {
        match expected {
            Some(expected) if expected != found => Err(Self::new(what, found, expected)),
            _ => Ok(()),
        }
    }

    /// Compares lists one by one: neither can be shown as a whole, as a file may have any number of items.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_all<T: PartialEq + fmt::Display>(what: &str, expected: Option<&[T]>, found: &[T]) -> Result<(), Self> {
        let Some(expected) = expected else { return Ok(()) };
        if found.len() != expected.len() {
            return Err(Self::new(&format!("the number of {what}s"), found.len(), expected.len()));
        }
        let different = found.iter().zip(expected).enumerate().find(|(_, (found, expected))| found != expected);
        different
            .map_or(Ok(()), |(index, (found, expected))| Err(Self::new(&format!("{what} {index}"), found, expected)))
    }
}
