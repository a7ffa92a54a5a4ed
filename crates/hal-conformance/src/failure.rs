//! Failures of cases.

use std::fmt;

use gpu_hal::HalError;

/// Why a case failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// A failure, in words.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<HalError> for Failure {
    fn from(error: HalError) -> Self {
        Self(error.to_string())
    }
}

/// Fails unless the condition holds.
pub(crate) fn ensure(holds: bool, text: impl FnOnce() -> String) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(Failure(text())) }
}
