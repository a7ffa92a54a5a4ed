//! The error of a missing method.

use alloc::format;

use crate::{HalError, Operation};

/// The error of a backend that lists an operation and has no method for it.
pub(crate) fn absent(operation: Operation) -> HalError {
    HalError::unsupported(
        operation,
        format!("this backend lists it: write `Operations::{operation}`, or do not list it"),
    )
}
