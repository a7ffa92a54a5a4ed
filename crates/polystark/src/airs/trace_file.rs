//! Traces from files.

use std::path::PathBuf;

use field::Goldilocks;
use trace_file::{Shape, TraceFile, TraceFileError};

use super::{Family, StatementError};
use crate::flavour::Flavour;

/// A trace of one table, which files can hold.
pub trait ReadTrace: Sized {
    /// The trace in a file.
    ///
    /// # Errors
    /// If it holds values that are none.
    fn read(file: &TraceFile) -> Result<Self, TraceFileError>;
}

impl ReadTrace for air::Trace<Goldilocks> {
    fn read(file: &TraceFile) -> Result<Self, TraceFileError> {
        Self::from_cells(file.columns()?).map_err(|error| TraceFileError::Shape(error.to_string()))
    }
}

impl ReadTrace for circle_air::Trace {
    fn read(file: &TraceFile) -> Result<Self, TraceFileError> {
        Ok(vec![file.columns()?].into())
    }
}

impl<F: Flavour<Trace: ReadTrace>> Family<F> {
    /// The same AIR, whose trace is in a file: [`trace_file`] says which formats there are. It is mapped, and compared with the AIR's shape,
    /// when a statement is built; it is read when a proof begins, and must not change until that ends.
    #[must_use]
    pub fn with_trace_file(self, path: PathBuf) -> Self {
        self.with_trace_of(move |air| {
            let wrong = |source| StatementError::TraceFile { path: path.clone(), source };
            let several = || TraceFileError::Shape("its AIR has several tables, and a file holds one".to_owned());
            let columns = F::trace_columns(air)?.ok_or_else(|| wrong(several()))?;
            let rows = usize::try_from(F::trace_rows(air)).unwrap_or(usize::MAX);
            let file = TraceFile::open(&path, Shape { columns, rows }).map_err(wrong)?;
            let path = path.clone();
            Ok(move || F::Trace::read(&file).map_err(|source| StatementError::TraceFile { path: path.clone(), source }))
        })
    }
}
