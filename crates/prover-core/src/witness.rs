//! Where the main columns come from: the host's trace, or the device, which makes them from a few numbers.

use air::{Trace, TraceProgram};
use field::{ExtensionField, Goldilocks};
use gpu_hal::{Columns, CosetProtocol, ErrorKind, HalError, Operation, Protocol, StarkBackend};
use proof::{Proof, ProofOptions, Seed};

use crate::domains::Domains;
use crate::prover::{Ext, Prover, Table, trace_basis};
use crate::{Observer, ProveError};

/// The main columns, in row order.
#[derive(Clone, Copy)]
pub(crate) enum Witness<'a> {
    /// Uploaded.
    Host(&'a Trace<Goldilocks>),
    /// Made by the device.
    Device(&'a TraceProgram<Goldilocks>),
}

impl<B: StarkBackend<P: CosetProtocol>> Prover<B> {
    /// Whether [`Self::prove_generated`] can prove: the AIR has a [`TraceProgram`], no auxiliary column is the host's, and the backend
    /// has the operations.
    pub fn generates(&self) -> bool {
        let has = |op| self.backend.capabilities().operations.contains(&op);
        self.trace_program()
            .is_ok_and(|program| has(Operation::Recurrence) && (program.columns.len() == 1 || has(Operation::Select)))
    }

    /// As [`Self::prove`], of the honest trace that the AIR's [`TraceProgram`] describes. The device makes it: nothing of the size of
    /// the trace is on the host or uploaded. The proof is the same.
    ///
    /// # Errors
    /// [`ProveError::NoTraceProgram`] where there is nothing to make it from; an unsupported [`ProveError::Hal`] where the backend lacks
    /// an operation; else as [`Self::prove`].
    pub fn prove_generated(
        &self,
        options: &ProofOptions,
        seed: Seed<'_>,
        observer: &dyn Observer<Ext<B>>,
    ) -> Result<Proof<B::P>, ProveError> {
        self.prove_from(Witness::Device(&self.trace_program()?), options, seed, observer)
    }

    fn trace_program(&self) -> Result<TraceProgram<Goldilocks>, ProveError> {
        let none = |reason| ProveError::NoTraceProgram { air: self.air.name().to_owned(), reason };
        if !self.recorded.host_aux().is_empty() {
            return Err(none("the host computes auxiliary columns from the trace"));
        }
        self.air.trace_program().ok_or_else(|| none("it declares no trace program"))
    }

    pub(crate) fn check_shape(&self, witness: Witness<'_>) -> Result<(), ProveError> {
        let (expected_width, expected_log_height) =
            (self.recorded.layout().main_columns, self.recorded.log_trace_length());
        let (width, log_height) = match witness {
            Witness::Host(trace) => (trace.width(), trace.log_height()),
            Witness::Device(program) => {
                let heights = program.columns.iter().map(|column| column.log_height);
                let other = heights.into_iter().find(|log_height| *log_height != expected_log_height);
                (program.columns.len(), other.unwrap_or(expected_log_height))
            }
        };
        if width != expected_width || log_height != expected_log_height {
            return Err(ProveError::TraceShape { width, log_height, expected_width, expected_log_height });
        }
        Ok(())
    }

    /// The main columns in row order, and their extension.
    pub(crate) fn main_columns(
        &self,
        witness: Witness<'_>,
        domains: &Domains,
    ) -> Result<(Table<B>, Table<B>), ProveError> {
        let (backend, basis) = (&*self.backend, trace_basis(domains));
        let program = match witness {
            Witness::Host(trace) => {
                let columns: Vec<_> = (0..trace.width()).map(|column| trace.column(column)).collect();
                let (rows, extended) = backend.upload_lde(&columns, trace.log_height(), basis, domains.lde, true)?;
                return Ok((rows.ok_or_else(not_kept)?, extended));
            }
            Witness::Device(program) => program,
        };
        let columns = program.columns.iter().map(|column| backend.recurrence(column));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let rows = match <[_; 1]>::try_from(columns) {
            Ok([only]) => only,
            Err(columns) => {
                let tables: Vec<_> = columns.iter().map(Columns::as_ref).collect();
                let picks: Vec<_> = (0..tables.len()).map(|table| (table, 0)).collect();
                backend.select(&tables, &picks)?
            }
        };
        let extended = backend.lde(rows.as_ref(), basis, domains.lde)?;
        Ok((rows, extended))
    }

    /// The auxiliary columns that the host computes, uploaded; `None` if there are none.
    pub(crate) fn host_columns(
        &self,
        witness: Witness<'_>,
        challenges: &[Ext<B>],
    ) -> Result<Option<Table<B>>, ProveError> {
        match witness {
            Witness::Host(trace) if !self.recorded.host_aux().is_empty() => {
                self.upload_host(trace, challenges).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn upload_host(&self, trace: &Trace<Goldilocks>, challenges: &[Ext<B>]) -> Result<Table<B>, ProveError> {
        let columns = self.air.host_columns(trace, challenges);
        let (declared, expected) = (self.recorded.host_aux().len(), trace.height());
        let wrong = columns.iter().position(|column| column.len() != expected);
        if columns.len() != declared || wrong.is_some() {
            let index = wrong.unwrap_or(columns.len());
            let rows = columns.get(index).map_or(0, Vec::len);
            return Err(ProveError::HostColumns { index, rows, expected, given: columns.len(), declared });
        }
        let mut data = Vec::with_capacity(declared * <B::P as Protocol>::DEGREE * expected);
        for column in &columns {
            for coordinate in 0..<B::P as Protocol>::DEGREE {
                data.extend(column.iter().map(|value| value.coordinates()[coordinate]));
            }
        }
        Ok(self.backend.upload(&data, declared * <B::P as Protocol>::DEGREE, trace.log_height())?)
    }
}

/// A backend did not give the table that it was to keep.
fn not_kept() -> HalError {
    HalError::new(ErrorKind::Backend, Operation::UploadLde.name(), "the uploaded table was to be kept and is not there")
}
