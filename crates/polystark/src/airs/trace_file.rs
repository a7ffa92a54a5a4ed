//! Traces from files.

use std::path::{Path, PathBuf};

use field::Goldilocks;
use trace_file::TraceFileError;

use super::{Family, StatementError};
use crate::flavour::Flavour;

/// A trace of one table, which files can hold.
pub trait ReadTrace: Sized {
    /// The trace in a file.
    ///
    /// # Errors
    /// If it holds none. Whether it is of an AIR's shape, the prover says.
    fn read(path: &Path) -> Result<Self, TraceFileError>;
}

impl ReadTrace for air::Trace<Goldilocks> {
    fn read(path: &Path) -> Result<Self, TraceFileError> {
        Self::from_cells(trace_file::read(path)?).map_err(|error| TraceFileError::Shape(error.to_string()))
    }
}

impl ReadTrace for circle_air::Trace {
    fn read(path: &Path) -> Result<Self, TraceFileError> {
        Ok(vec![trace_file::read(path)?].into())
    }
}

impl<F: Flavour<Trace: ReadTrace>> Family<F> {
    /// The same AIR, whose trace is in a file: [`trace_file`] says which formats there are. It is mapped when a proof begins, and must not
    /// change until that ends.
    #[must_use]
    pub fn with_trace_file(self, path: PathBuf) -> Self {
        self.with_trace(move || {
            F::Trace::read(&path).map_err(|source| StatementError::TraceFile { path: path.clone(), source })
        })
    }
}
