//! Where the main columns come from: the host's trace, or the device, which makes them from a few numbers.

use circle_air::{ColumnProgram, Source, Statement, TableProgram};
use field::M31;
use gpu_hal::{CircleStark, Columns, Footprint, Map, Operation, Shape, StarkBackend, TreeMap};
use stwo::core::fields::qm31::SecureField;

use super::preprocessed::join;
use super::tree::{Table, extend, upload_extended};
use super::{CircleProof, ProveError, Prover};
use crate::observer::Observer;

/// The main columns by component.
pub(crate) enum Witness<'a, B: StarkBackend> {
    /// Uploaded, in the order of the rows.
    Host(&'a [Vec<Vec<M31>>]),
    /// Made by the device.
    Device(Generator<'a, B>),
}

/// The statement's trace program, with what was made of it on a backend.
pub(crate) struct Generator<'a, B: StarkBackend> {
    pub(crate) tables: Vec<TableProgram<'a>>,
    programs: &'a [Making<B>],
}

/// What makes the columns of a component from its sources.
pub(crate) enum Making<B: StarkBackend> {
    Sources,
    Map(B::Program),
    Tree { leaf: B::Program, node: B::Program },
}

/// Prepares what makes the components' columns. `None` if the statement declares no trace program or the backend lacks an operation
/// that it takes.
pub(crate) fn prepare<B: StarkBackend<P = CircleStark>>(
    backend: &B,
    statement: &dyn Statement,
) -> Result<Option<Vec<Making<B>>>, ProveError> {
    let operations = &backend.capabilities().operations;
    let has = |op| operations.contains(&op);
    let can = |table: &TableProgram<'_>| {
        has(Operation::Recurrence)
            && match table.columns {
                ColumnProgram::Sources => table.sources.len() == 1 || has(Operation::Select),
                ColumnProgram::Map(_) => has(Operation::Map),
                ColumnProgram::Tree { .. } => has(Operation::TreeMap),
            }
    };
    let Some(tables) = statement.trace_program().filter(|tables| tables.iter().all(can)) else { return Ok(None) };
    let prepare = |table: &TableProgram<'_>| {
        Ok(match &table.columns {
            ColumnProgram::Sources => Making::Sources,
            ColumnProgram::Map(program) => Making::Map(backend.prepare(program)?),
            ColumnProgram::Tree { leaf, node, .. } => {
                Making::Tree { leaf: backend.prepare(leaf)?, node: backend.prepare(node)? }
            }
        })
    };
    tables.iter().map(prepare).collect::<Result<_, _>>().map(Some)
}

impl<'a, B: StarkBackend<P = CircleStark>> Generator<'a, B> {
    /// The statement's trace program again; `None` if nothing was prepared.
    pub(crate) fn new(statement: &'a dyn Statement, programs: Option<&'a [Making<B>]>) -> Option<Self> {
        let programs = programs?;
        let tables = statement.trace_program().filter(|tables| tables.len() == programs.len())?;
        Some(Self { tables, programs })
    }

    /// What making a component's columns takes beside the sources that [`Self::sources`] has and the columns, if a plan must know.
    pub(crate) fn footprint<'f>(
        &'f self,
        component: usize,
        sources: &'f [Shape],
        log_height: u32,
    ) -> Option<Footprint<'f, B>> {
        match self.programs.get(component)? {
            Making::Sources | Making::Map(_) => None,
            Making::Tree { leaf, node } => {
                let width = self.tables[component].width();
                Some(Footprint::TreeMap { leaf, node, tables: sources, log_height, width })
            }
        }
    }

    /// The tables that a component's columns are made from; none where the only source is the column.
    pub(crate) fn sources(&self, component: usize, log_size: u32) -> Vec<Shape> {
        let table = self.tables.get(component);
        let table = table.filter(|t| !matches!(t.columns, ColumnProgram::Sources) || t.sources.len() > 1);
        let sources = table.iter().flat_map(|table| &table.sources);
        sources.map(|source| Shape::new((), 1, source.log_height().min(log_size))).collect()
    }

    /// The columns of a component in row order.
    fn rows(&self, backend: &B, component: usize, log_height: u32) -> Result<Table<B>, ProveError> {
        let table = &self.tables[component];
        let sources = table.sources.iter().map(|source| match source {
            Source::Recurrence(recurrence) => backend.recurrence(recurrence),
            Source::Host { log_height, values } => backend.upload(&values(), 1, *log_height),
        });
        let sources = sources.collect::<Result<Vec<_>, _>>()?;
        let columns: Vec<_> = sources.iter().map(Columns::as_ref).collect();
        let width = table.width();
        Ok(match &self.programs[component] {
            Making::Sources => return join(backend, sources),
            Making::Map(program) => {
                let outputs: Vec<usize> = (0..width).collect();
                backend.map(&Map { program, columns: &columns, log_height, outputs: &outputs })?
            }
            Making::Tree { leaf, node } => {
                backend.tree_map(&TreeMap { leaf, node, columns: &columns, log_height, width })?
            }
        })
    }
}

/// The rows of a component as long as the lookups need them, and their extension; neither if it has no columns.
pub(crate) struct MainTable<B: StarkBackend> {
    pub(crate) rows: Option<Table<B>>,
    pub(crate) extended: Option<Table<B>>,
}

impl<B: StarkBackend<P = CircleStark>> Prover<B> {
    /// Whether [`Self::prove_generated`] can prove: the statement has a trace program and the backend the operations that it takes.
    pub fn generates(&self) -> bool {
        self.trace_programs.is_some()
    }

    /// As [`Self::prove`], of the honest trace that the statement's [`Statement::trace_program`] describes. The device makes it: nothing
    /// but what that program says is on the host or uploaded. The proof is the same.
    ///
    /// # Errors
    /// [`ProveError::NoTraceProgram`] where [`Self::generates`] says no; else as [`Self::prove`].
    pub fn prove_generated(&self, observer: &dyn Observer<SecureField>) -> Result<CircleProof, ProveError> {
        let none = || ProveError::NoTraceProgram { statement: self.statement.name().to_owned() };
        self.prove_from(Witness::Device(self.generator().ok_or_else(none)?), observer)
    }

    fn generator(&self) -> Option<Generator<'_, B>> {
        Generator::new(&*self.statement, self.trace_programs.as_deref())
    }

    /// A trace for every component, of its shape.
    pub(crate) fn check_shape(&self, witness: &Witness<'_, B>) -> Result<(), ProveError> {
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
                    let wrong =
                        heights.filter(|height| *height > log_size || matches!(table.columns, ColumnProgram::Sources));
                    let rows = wrong.map(|height| 1usize.checked_shl(height).unwrap_or(usize::MAX)).collect();
                    (table.width(), rows)
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
    pub(crate) fn main_tables(&self, witness: &Witness<'_, B>) -> Result<Vec<MainTable<B>>, ProveError> {
        let (backend, log_blowup) = (&*self.backend, self.options.log_blowup);
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
