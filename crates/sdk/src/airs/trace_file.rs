//! Traces from files.

use std::path::{Path, PathBuf};

use air::Cells;
use trace_file::{Shape, TraceFile, TraceFileError};

use super::{AirInstance, Family, Parameters};
use crate::statements::statement_error::StatementError;
use crate::system::ProofSystem;

impl<F: ProofSystem> Family<F> {
    /// The same AIR, whose trace is in a file: [`trace_file`] says which formats there are. It is mapped, and compared
    /// with the AIR's shape, when a statement is built; it is read when a proof begins, and must not change until that
    /// ends.
    #[must_use]
    pub fn with_trace_file(mut self, path: PathBuf) -> Self {
        let build = self.build;
        let build = move |rows, parameters: &Parameters| {
            let AirInstance { air, .. } = build(rows, parameters)?;
            let several = || TraceFileError::Shape("its AIR has several tables, and a file holds one".to_owned());
            let columns = F::columns(&air)?.ok_or_else(|| wrong(&path, &several()))?;
            let rows = usize::try_from(F::facts(&air).rows).unwrap_or(usize::MAX);
            let file = TraceFile::open(&path, Shape { columns, rows }).map_err(|error| wrong(&path, &error))?;
            let path = path.clone();
            let read = move || {
                let columns: Vec<Cells<F::Base>> = file.columns()?;
                F::Trace::try_from(columns).map_err(|error| TraceFileError::Shape(error.to_string()))
            };
            Ok(AirInstance::new(air, move || read().map_err(|error| wrong(&path, &error))))
        };
        self.build = Box::new(build);
        self
    }
}

fn wrong(path: &Path, error: &TraceFileError) -> StatementError {
    StatementError::Other(format!("the trace {}: {error}", path.display()))
}
