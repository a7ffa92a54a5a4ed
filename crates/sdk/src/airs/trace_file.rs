//! Traces from files.

use std::path::PathBuf;

#[cfg(feature = "circle")]
use gpu_hal::CircleStark;
use trace_file::{Shape, TraceFile, TraceFileError};

use super::{Family, StatementError};
#[cfg(feature = "goldilocks")]
use crate::system::Goldilocks3;
use crate::system::ProofSystem;

/// A proof system whose traces of one table files can hold.
pub trait ReadTrace: ProofSystem {
    /// Main columns of a statement of one table; `None` where there are several tables.
    ///
    /// # Errors
    /// If the statement contradicts itself.
    fn columns(air: &Self::Air) -> Result<Option<usize>, StatementError>;

    /// The trace in a file.
    ///
    /// # Errors
    /// If it holds values that are not of the field.
    fn read(file: &TraceFile) -> Result<Self::Trace, TraceFileError>;
}

#[cfg(feature = "goldilocks")]
impl ReadTrace for Goldilocks3 {
    fn columns(air: &Self::Air) -> Result<Option<usize>, StatementError> {
        Ok(Some(air.layout().main_columns))
    }

    fn read(file: &TraceFile) -> Result<Self::Trace, TraceFileError> {
        air::Trace::from_cells(file.columns()?).map_err(|error| TraceFileError::Shape(error.to_string()))
    }
}

#[cfg(feature = "circle")]
impl ReadTrace for CircleStark {
    fn columns(statement: &Self::Air) -> Result<Option<usize>, StatementError> {
        if let Some(air) = statement.air() {
            return Ok(Some(air.layout().main_columns));
        }
        let recorded = circle_air::RecordedStatement::new(statement, None)
            .map_err(|error| StatementError::Other(error.to_string()))?;
        match &recorded.components[..] {
            [only] => Ok(Some(only.width(1))),
            _ => Ok(None),
        }
    }

    fn read(file: &TraceFile) -> Result<Self::Trace, TraceFileError> {
        Ok(vec![file.columns()?].into())
    }
}

impl<F: ReadTrace> Family<F> {
    /// The same AIR, whose trace is in a file: [`trace_file`] says which formats there are. It is mapped, and compared with the AIR's shape,
    /// when a statement is built; it is read when a proof begins, and must not change until that ends.
    #[must_use]
    pub fn with_trace_file(self, path: PathBuf) -> Self {
        self.with_trace_of(move |air| {
            let wrong = |source| StatementError::TraceFile { path: path.clone(), source };
            let several = || TraceFileError::Shape("its AIR has several tables, and a file holds one".to_owned());
            let columns = F::columns(air)?.ok_or_else(|| wrong(several()))?;
            let rows = usize::try_from(F::trace_rows(air)).unwrap_or(usize::MAX);
            let file = TraceFile::open(&path, Shape { columns, rows }).map_err(wrong)?;
            let path = path.clone();
            Ok(move || F::read(&file).map_err(|source| StatementError::TraceFile { path: path.clone(), source }))
        })
    }
}
