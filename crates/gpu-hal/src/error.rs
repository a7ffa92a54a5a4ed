//! The one error type of the layer.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::error::Error;
use core::fmt;

use ir::RowFault;

use crate::Operation;

/// Kinds of errors, as far as a caller can act on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The device has not enough memory. A smaller statement may work.
    OutOfMemory,
    /// The device is gone; the backend must be created again.
    DeviceLost,
    /// The backend does not have this operation (or this variant of it).
    Unsupported,
    /// A kernel could not be compiled or loaded.
    KernelBuild,
    /// The caller's arguments contradict each other or the contract.
    InvalidArgument,
    /// The backend cannot be used on this machine.
    Unavailable,
    /// The caller of the operation ended it ([`crate::CancelToken`]).
    Stopped,
    /// Anything else the device reports, and results that a check found wrong.
    Backend,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfMemory => "out of memory",
            Self::DeviceLost => "device lost",
            Self::Unsupported => "unsupported",
            Self::KernelBuild => "kernel build failed",
            Self::InvalidArgument => "invalid argument",
            Self::Unavailable => "unavailable",
            Self::Stopped => "stopped",
            Self::Backend => "backend failure",
        })
    }
}

/// Where an error arose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorSite {
    /// In an operation. The front names the operation that was called, not the operations that it is made of.
    Operation(Operation),
    /// In a step beside the operations, such as opening a device or compiling a kernel.
    Step(&'static str),
}

impl fmt::Display for ErrorSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Operation(operation) => operation.name(),
            Self::Step(name) => name,
        })
    }
}

impl From<Operation> for ErrorSite {
    fn from(operation: Operation) -> Self {
        Self::Operation(operation)
    }
}

impl From<&'static str> for ErrorSite {
    fn from(step: &'static str) -> Self {
        Self::Step(step)
    }
}

/// An error of a backend: its kind, its operation, and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{op}: {kind}: {detail}")]
pub struct HalError {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The operation, or a step beside the operations.
    pub op: ErrorSite,
    /// The cause, the place, and the remedy.
    pub detail: String,
    /// The error of the layer below, if there is one.
    #[source]
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl HalError {
    /// An error without a source.
    pub fn new(kind: ErrorKind, op: impl Into<ErrorSite>, detail: impl Into<String>) -> Self {
        Self { kind, op: op.into(), detail: detail.into(), source: None }
    }

    /// The same error with the error of the layer below.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// [`ErrorKind::InvalidArgument`].
    pub fn invalid(op: impl Into<ErrorSite>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgument, op, detail)
    }

    /// The error of [`crate::StarkBackend::rows`] for the fault of a row.
    pub fn of_row(row: usize, fault: RowFault<'_>) -> Self {
        Self::invalid(Operation::Rows, format!("row {row}: {fault}"))
    }

    /// [`ErrorKind::Unsupported`].
    pub fn unsupported(op: impl Into<ErrorSite>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, op, detail)
    }
}

/// Result of an operation.
pub type Result<T, E = HalError> = core::result::Result<T, E>;
