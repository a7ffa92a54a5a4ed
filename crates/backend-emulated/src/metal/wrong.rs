//! The error of a text that Metal would refuse.

use gpu_hal::{ErrorKind, HalError};

pub(super) fn wrong(what: impl std::fmt::Display) -> HalError {
    HalError::new(ErrorKind::KernelBuild, "build kernel", format!("as Metal sees it: {what}"))
}
