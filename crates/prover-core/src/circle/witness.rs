//! Where the main columns come from: the host's trace, or the device, which makes them from a few numbers.

use circle_air::{Source, Statement, TableProgram};
use field::M31;
use gpu_hal::{CircleStark, Columns, Map, Operation, StarkBackend};
use stwo::core::fields::qm31::SecureField;

use super::preprocessed::join;
use super::tree::{Table, extend, upload_extended};
use super::{CircleProof, ProveError, Prover};
use crate::observer::Observer;

/// The main columns by component.
pub(crate) enum Witness<'a, 's, B: StarkBackend> {
    /// Uploaded, in the order of the rows.
    Host(&'a [Vec<Vec<M31>>]),
    /// Made by the device.
    Device(&'a Generator<'s, B>),
}

/// The statement's trace program, made ready on a backend.
pub(crate) struct Generator<'a, B: StarkBackend> {
    pub(crate) tables: Vec<TableProgram<'a>>,
    programs: Vec<Option<B::Program>>,
}

impl<'a, B: StarkBackend<P = CircleStark>> Generator<'a, B> {
    /// `None` if the statement declares no trace program or the backend lacks an operation that it takes.
    pub(crate) fn new(backend: &B, statement: &'a dyn Statement) -> Result<Option<Self>, ProveError> {
        let operations = &backend.capabilities().operations;
        let has = |op| operations.contains(&op);
        let can = |table: &TableProgram<'_>| match table.map {
            Some(_) => has(Operation::Recurrence) && has(Operation::Map),
            None => has(Operation::Recurrence) && (table.sources.len() == 1 || has(Operation::Select)),
        };
        let Some(tables) = statement.trace_program().filter(|tables| tables.iter().all(can)) else { return Ok(None) };
        let prepare = |table: &TableProgram<'_>| table.map.as_ref().map(|map| backend.prepare(map)).transpose();
        let programs = tables.iter().map(prepare).collect::<Result<_, _>>()?;
        Ok(Some(Self { tables, programs }))
    }

    /// The columns of a component in row order.
    fn rows(&self, backend: &B, component: usize, log_size: u32) -> Result<Table<B>, ProveError> {
        let table = &self.tables[component];
        let sources = table.sources.iter().map(|source| match source {
            Source::Recurrence(recurrence) => backend.recurrence(recurrence),
            Source::Host { log_height, values } => backend.upload(&values(), 1, *log_height),
        });
        let sources = sources.collect::<Result<Vec<_>, _>>()?;
        let Some(program) = &self.programs[component] else { return join(backend, sources) };
        let columns: Vec<_> = sources.iter().map(Columns::as_ref).collect();
        let outputs: Vec<usize> = (0..width(table)).collect();
        Ok(backend.map(&Map { program, columns: &columns, log_height: log_size, outputs: &outputs })?)
    }
}

/// Columns that a program makes.
fn width(table: &TableProgram<'_>) -> usize {
    table.map.as_ref().map_or(table.sources.len(), |map| map.outputs().len())
}

/// The rows of a component as long as the lookups need them, and their extension; neither if it has no columns.
pub(crate) struct MainTable<B: StarkBackend> {
    pub(crate) rows: Option<Table<B>>,
    pub(crate) extended: Option<Table<B>>,
}

impl<B: StarkBackend<P = CircleStark>> Prover<'_, B> {
    /// Whether [`Self::prove_generated`] can prove: the statement has a trace program and the backend the operations that it takes.
    pub fn generates(&self) -> bool {
        self.generator.is_some()
    }

    /// As [`Self::prove`], of the honest trace that the statement's [`Statement::trace_program`] describes. The device makes it: nothing
    /// but what that program says is on the host or uploaded. The proof is the same.
    ///
    /// # Errors
    /// [`ProveError::NoTraceProgram`] where [`Self::generates`] says no; else as [`Self::prove`].
    pub fn prove_generated(&self, observer: &dyn Observer<SecureField>) -> Result<CircleProof, ProveError> {
        let none = || ProveError::NoTraceProgram { statement: self.statement.name().to_owned() };
        self.prove_from(Witness::Device(self.generator.as_ref().ok_or_else(none)?), observer)
    }

    /// A trace for every component, of its shape.
    pub(crate) fn check_shape(&self, witness: &Witness<'_, '_, B>) -> Result<(), ProveError> {
        let components = &self.recorded.components;
        let given = match witness {
            Witness::Host(trace) => trace.len(),
            Witness::Device(generator) => generator.tables.len(),
        };
        if given != components.len() {
            return Err(ProveError::TraceCount { given, expected: components.len() });
        }
        for (index, component) in components.iter().enumerate() {
            let (expected, log_size) = (component.width(1), component.log_size);
            let (columns, rows): (usize, Vec<usize>) = match witness {
                Witness::Host(trace) => (trace[index].len(), trace[index].iter().map(Vec::len).collect()),
                Witness::Device(generator) => {
                    let table = &generator.tables[index];
                    let heights = table.sources.iter().map(Source::log_height);
                    // Sources of a program may be lower, those that are the columns not.
                    let wrong = heights.filter(|height| *height > log_size || table.map.is_none());
                    let rows = wrong.map(|height| 1usize.checked_shl(height).unwrap_or(usize::MAX)).collect();
                    (width(table), rows)
                }
            };
            if columns != expected || rows.iter().any(|rows| *rows != 1 << log_size) {
                let rows = rows.into_iter().max().unwrap_or(0);
                return Err(ProveError::TraceShape { component: index, columns, rows, width: expected, log_size });
            }
        }
        Ok(())
    }

    /// The main columns of every component.
    pub(crate) fn main_tables(&self, witness: &Witness<'_, '_, B>) -> Result<Vec<MainTable<B>>, ProveError> {
        let (backend, log_blowup) = (self.backend, self.options.log_blowup);
        let table = |(index, component): (usize, &circle_air::Recorded)| {
            if component.width(1) == 0 {
                return Ok(MainTable { rows: None, extended: None });
            }
            let keep = component.logup.is_some();
            let (rows, extended) = match witness {
                Witness::Host(trace) => {
                    let columns: Vec<&[M31]> = trace[index].iter().map(Vec::as_slice).collect();
                    upload_extended(backend, &columns, component.log_size, log_blowup, keep)?
                }
                Witness::Device(generator) => {
                    let rows = generator.rows(backend, index, component.log_size)?;
                    let extended = extend(backend, rows.as_ref(), log_blowup)?;
                    (keep.then_some(rows), extended)
                }
            };
            Ok(MainTable { rows, extended: Some(extended) })
        };
        self.recorded.components.iter().enumerate().map(table).collect()
    }
}
