//! Refusals of a recorder.

use alloc::string::String;

/// A wrong use of [`crate::RowRecorder`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RowProgramError(pub(super) String);
