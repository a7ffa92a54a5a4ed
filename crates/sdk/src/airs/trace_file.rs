//! Traces from files.

use std::path::PathBuf;

use trace_file::{Shape, TraceFile, TraceFileError};

use super::{Family, Parameters, Provable, StatementError};
use crate::system::ProofSystem;

impl<F: ProofSystem> Family<F> {
    /// The same AIR, whose trace is in a file: [`trace_file`] says which formats there are. It is mapped, and compared
    /// with the AIR's shape, when a statement is built; it is read when a proof begins, and must not change until that
    /// ends.
    #[must_use]
    pub fn with_trace_file(mut self, path: PathBuf) -> Self {
        let build = self.build;
        let build = move |rows, parameters: &Parameters| {
            let Provable { air, .. } = build(rows, parameters)?;
            let wrong = |source| StatementError::TraceFile { path: path.clone(), source };
            let several = || TraceFileError::Shape("its AIR has several tables, and a file holds one".to_owned());
            let columns = F::columns(&air)?.ok_or_else(|| wrong(several()))?;
            let rows = usize::try_from(F::trace_rows(&air)).unwrap_or(usize::MAX);
            let file = TraceFile::open(&path, Shape { columns, rows }).map_err(wrong)?;
            let path = path.clone();
            let read = move || F::trace(file.columns()?).map_err(|error| TraceFileError::Shape(error.to_string()));
            let trace = move || read().map_err(|source| StatementError::TraceFile { path: path.clone(), source });
            Ok(Provable::new(air, trace))
        };
        self.build = Box::new(build);
        self
    }
}
