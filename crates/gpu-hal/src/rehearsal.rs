//! The notes of a rehearsal.

use core::fmt;

use crate::Operation;
use crate::op::Cost;

/// A call in a rehearsal, or one of its requests.
#[derive(Clone, Debug)]
pub struct Step {
    /// The operation.
    pub operation: Operation,
    /// Its least work.
    pub cost: Cost,
}

/// Where in a rehearsal something was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The name that [`super::Rehearsed::enter`] was told last.
    pub part: &'static str,
    /// The operation.
    pub operation: Operation,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.operation)
    }
}
