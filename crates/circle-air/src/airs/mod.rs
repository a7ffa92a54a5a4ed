//! The shipped AIRs.

use field::M31;

use crate::{BuildError, Statement};

/// A statement with a trace that satisfies it.
pub trait ShippedAir: Statement {
    /// The main columns by component, in the order of the rows.
    fn trace(&self) -> Vec<Vec<Vec<M31>>>;
}

/// Builds the named AIR.
///
/// # Errors
/// [`BuildError`] if there is no such AIR or parameter.
pub fn build(name: &str, log_rows: u32, params: &[(String, String)]) -> Result<Box<dyn ShippedAir>, BuildError> {
    let _ = (log_rows, params);
    Err(BuildError::UnknownAir { name: name.to_owned(), known: Vec::new() })
}
