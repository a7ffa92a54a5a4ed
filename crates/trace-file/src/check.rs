//! Whether a file has the shape that was asked for.

use crate::{Shape, TraceFileError};

impl Shape {
    /// Refuses a file of another shape.
    pub(crate) fn check(self, found: Self) -> Result<(), TraceFileError> {
        match found {
            Self { columns: 0, .. } => Err(TraceFileError::NoColumns),
            Self { rows: 0, .. } => Err(TraceFileError::NoRows),
            found if found == self => Ok(()),
            found => Err(TraceFileError::OtherShape { found, expected: self }),
        }
    }
}
