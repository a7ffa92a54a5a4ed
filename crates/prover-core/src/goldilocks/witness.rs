//! Where the main columns come from: the host's trace, or the device, which makes them from a few numbers.

use std::borrow::Cow;

use air::{Trace, TraceProgram};
use field::{ExtensionField, Goldilocks};
use goldilocks_proof::FormatOptions;
use gpu_hal::{CosetProtocol, ErrorKind, HalError, MakeElements, Operation, Protocol, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::masks::Stream;
use crate::mode::ModeOn;
use crate::table::{Ext, Table, join, shape};

/// The main columns, in row order.
#[derive(Clone, Copy)]
pub enum Witness<'a> {
    /// Uploaded.
    Host(&'a Trace<Goldilocks>),
    /// Uploaded later: in a rehearsal, where there is no trace.
    Shape,
    /// Made by the device.
    Device(&'a TraceProgram<Goldilocks>),
}

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>, F: FormatOptions> Context<'_, B, S, F> {
    /// The main columns in row order, and their extension.
    pub(crate) fn main_columns(&self, witness: Witness<'_>) -> Result<(Table<B>, Table<B>), ProveError> {
        let (backend, domains) = (self.backend, &self.domains);
        let table = shape(self.recorded.layout().main_columns, domains.log_trace);
        let columns = || match witness {
            Witness::Host(trace) => (0..trace.width()).map(|column| trace.column(column)).collect(),
            Witness::Shape | Witness::Device(_) => Vec::new(),
        };
        if let Witness::Device(program) = witness {
            let columns = program.columns.iter().map(|column| backend.recurrence(column));
            return self.masked(join(backend, columns.collect::<Result<_, _>>()?)?);
        }
        if self.masks.is_some() {
            let height = table.height();
            let make = || {
                let columns = columns();
                let copy = move |first: usize, out: &mut [Goldilocks]| copy_columns(&columns, height, first, out);
                Ok::<_, HalError>(Box::new(copy) as Box<MakeElements<'_, _>>)
            };
            return self.masked(self.mode.upload_made(backend, table, make)?);
        }
        let (rows, extended) = self.mode.upload_lde(backend, table, columns, (domains.rows(), domains.lde), true)?;
        Ok((rows.ok_or_else(not_kept)?, extended))
    }

    /// The rows, of which those that are free are masked if the witness is hidden, and their extension.
    fn masked(&self, mut rows: Table<B>) -> Result<(Table<B>, Table<B>), ProveError> {
        self.mask_rows(&mut rows, Stream::Main)?;
        let extended = self.backend.lde(rows.as_ref(), self.domains.rows(), self.domains.lde)?;
        Ok((rows, extended))
    }

    /// The auxiliary columns that the host computes, uploaded; `None` if there are none.
    pub(crate) fn host_columns(
        &self,
        witness: Witness<'_>,
        challenges: &[Ext<B>],
    ) -> Result<Option<Table<B>>, ProveError> {
        let declared = self.recorded.host_aux().len();
        if declared == 0 {
            return Ok(None);
        }
        let table = shape(declared * <B::P as Protocol>::DEGREE, self.domains.log_trace);
        let data = || match witness {
            Witness::Host(trace) => self.host_data(trace, challenges).map(Cow::Owned),
            Witness::Shape | Witness::Device(_) => Ok(Cow::Borrowed(&[][..])),
        };
        self.mode.upload(self.backend, table, data).map(Some)
    }

    fn host_data(&self, trace: &Trace<Goldilocks>, challenges: &[Ext<B>]) -> Result<Vec<Goldilocks>, ProveError> {
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
        Ok(data)
    }
}

/// Copies the elements from number `first` on of columns that lie one after the other.
fn copy_columns(columns: &[&[Goldilocks]], height: usize, first: usize, mut out: &mut [Goldilocks]) {
    let mut at = first;
    while !out.is_empty() {
        let rest = &columns[at / height][at % height..];
        let (now, later) = out.split_at_mut(rest.len().min(out.len()));
        now.copy_from_slice(&rest[..now.len()]);
        at += now.len();
        out = later;
    }
}

/// A backend did not give the table that it was to keep.
fn not_kept() -> HalError {
    HalError::new(ErrorKind::Backend, Operation::UploadLde, "the uploaded table was to be kept and is not there")
}
