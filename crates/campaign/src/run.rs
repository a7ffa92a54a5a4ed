//! The type of a target that is open.

use campaign::Outcome;

/// A function that runs a case.
pub(crate) type Run = Box<dyn FnMut(&[u8]) -> Outcome>;
