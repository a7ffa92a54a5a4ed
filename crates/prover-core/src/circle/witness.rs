//! Where the main columns come from: the host's trace, or the device, which makes them from a few numbers.

use std::borrow::Cow;

use circle_air::{ColumnProgram, RecordedStatement, Source, TableProgram};
use field::M31;
use gpu_hal::{CircleStark, Columns, HalError, MapArgs, StarkBackend, TreeMapArgs};

use super::ProveError;
use super::context::Context;
use super::keep::Keep;
use super::programs::ColumnSource;
use super::tree::{extend_ordered, upload_extended};
use crate::observer::{Phase, go_on};
use crate::stage::Stage;
use crate::table::{Table, join, shape};

/// Makes the main columns of a statement on the device, before a proof commits to anything.
pub trait TraceMaker: Send + Sync {
    /// A table for each component, in order, of its main columns, in the statement's [`circle_air::Statement::order`];
    /// one without columns for a component that has none. A rehearsal calls it, too: on a backend of shapes, with a
    /// stage that asks for no data. Shapes must be the same every time.
    ///
    /// # Errors
    /// [`ProveError::Trace`] if there is no honest trace; the backend's errors.
    fn make<B: StarkBackend<P = CircleStark>, S: Stage<B>>(
        &self,
        stage: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError>;

    /// Numbers that say all that [`Self::make`]'s shapes and the statement's components depend on: statements whose
    /// makers say the same have the same programs and heights, and are recorded and planned once. None here: every one
    /// is.
    fn shape(&self) -> Option<Vec<u64>> {
        None
    }
}

/// The main columns by component.
pub(crate) enum Witness<'a, B: StarkBackend> {
    /// Uploaded, in the order of the rows.
    Host(&'a [Vec<&'a [M31]>]),
    /// Uploaded later: in a rehearsal, where there is no trace.
    Shape,
    /// Made by the device.
    Device(Generator<'a, B>),
}

/// The statement's trace program, with its prepared form on a backend.
pub(crate) struct Generator<'a, B: StarkBackend> {
    pub(crate) tables: &'a [TableProgram],
    /// As many as tables.
    pub(crate) programs: Vec<ColumnSource<&'a B::Program>>,
}

impl<B: StarkBackend<P = CircleStark>> Generator<'_, B> {
    /// The columns of a component in row order.
    fn rows(
        &self,
        stage: impl Stage<B>,
        backend: &B,
        component: usize,
        log_height: u32,
    ) -> Result<Table<B>, ProveError> {
        let table = &self.tables[component];
        let sources = table.sources.iter().map(|source| match source {
            Source::Recurrence(recurrence) => backend.recurrence(recurrence),
            Source::Host { log_height, values } => {
                stage.upload(backend, shape(1, *log_height), || Ok(Cow::Owned(values())))
            }
        });
        let sources = sources.collect::<Result<Vec<_>, HalError>>()?;
        let columns: Vec<_> = sources.iter().map(Columns::as_ref).collect();
        let width = table.width();
        Ok(match self.programs[component] {
            ColumnSource::Sources => join(backend, sources)?,
            ColumnSource::Map(program) => {
                let outputs: Vec<usize> = (0..width).collect();
                backend.map(&MapArgs { program, columns: &columns, log_height, outputs: &outputs })?
            }
            ColumnSource::Tree { leaf, node } => {
                backend.tree_map(&TreeMapArgs { leaf, node, columns: &columns, log_height, width })?
            }
        })
    }
}

/// The rows of a component, if they are kept for the lookups, and their extension; neither if it has no columns.
pub(crate) struct MainTable<B: StarkBackend> {
    pub(crate) rows: Option<Table<B>>,
    pub(crate) extended: Option<Table<B>>,
}

impl<B: StarkBackend<P = CircleStark>> Witness<'_, B> {
    /// A trace for every component, of its shape.
    pub(crate) fn check_shape(&self, recorded: &RecordedStatement) -> Result<(), ProveError> {
        let components = &recorded.components;
        let given = match self {
            Witness::Shape => return Ok(()),
            Witness::Host(trace) => trace.len(),
            Witness::Device(generator) => generator.tables.len(),
        };
        if given != components.len() {
            return Err(ProveError::TraceCount { given, expected: components.len() });
        }
        for (index, component) in components.iter().enumerate() {
            let (expected, log_size) = (component.width(1), component.log_size);
            let (columns, rows): (usize, Vec<usize>) = match self {
                Witness::Shape => continue,
                Witness::Host(trace) => (trace[index].len(), trace[index].iter().map(|column| column.len()).collect()),
                Witness::Device(generator) => {
                    let table = &generator.tables[index];
                    let heights = table.sources.iter().map(Source::log_height);
                    // Sources of a program may be lower, but sources that are the columns not.
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
}

impl<B: StarkBackend<P = CircleStark>, S: Stage<B>> Context<'_, B, S> {
    /// The main columns of every component.
    pub(crate) fn main_tables(&self, witness: &Witness<'_, B>) -> Result<Vec<MainTable<B>>, ProveError> {
        let (stage, backend, log_blowup) = (self.stage, self.backend, self.options.log_blowup);
        let table = |(index, component): (usize, &circle_air::Recorded)| {
            go_on(self.observer, Phase::Main)?;
            if component.width(1) == 0 {
                return Ok(MainTable { rows: None, extended: None });
            }
            let keep = self.keeps_rows(component);
            let table = shape(component.width(1), component.log_size);
            let columns = || match witness {
                Witness::Host(trace) => trace[index].clone(),
                Witness::Shape | Witness::Device(_) => Vec::new(),
            };
            let order = self.statement.order();
            let (rows, extended) = match witness {
                Witness::Device(generator) => {
                    let rows = generator.rows(stage, backend, index, component.log_size)?;
                    extend_ordered(backend, rows, order, log_blowup, keep)?
                }
                _ => upload_extended(stage, backend, table, columns, (order, log_blowup), keep)?,
            };
            Ok(MainTable { rows, extended: Some(extended) })
        };
        self.recorded.components.iter().enumerate().map(table).collect()
    }

    /// Whether the rows of a component's main columns are there until its interaction columns are made.
    fn keeps_rows(&self, component: &circle_air::Recorded) -> bool {
        self.keep == Keep::All && component.width(2) > 0
    }

    /// The main columns of every component, as `maker` makes them.
    pub(crate) fn made_tables(&self, maker: &impl TraceMaker) -> Result<Vec<MainTable<B>>, ProveError> {
        let tables = maker.make(self.stage, self.backend)?;
        let components = &self.recorded.components;
        if tables.len() != components.len() {
            return Err(ProveError::TraceCount { given: tables.len(), expected: components.len() });
        }
        for (index, (component, table)) in components.iter().zip(&tables).enumerate() {
            let (width, log_size) = (component.width(1), component.log_size);
            if table.width != width || (width > 0 && table.log_height != log_size) {
                let (columns, rows) = (table.width, 1usize.checked_shl(table.log_height).unwrap_or(usize::MAX));
                return Err(ProveError::TraceShape { component: index, columns, rows, width, log_size });
            }
        }
        let (order, log_blowup) = (self.statement.order(), self.options.log_blowup);
        let extend = |(component, table): (&circle_air::Recorded, Table<B>)| {
            go_on(self.observer, Phase::Main)?;
            if component.width(1) == 0 {
                return Ok(MainTable { rows: None, extended: None });
            }
            let keep = self.keeps_rows(component);
            let (rows, extended) = extend_ordered(self.backend, table, order, log_blowup, keep)?;
            Ok(MainTable { rows, extended: Some(extended) })
        };
        components.iter().zip(tables).map(extend).collect()
    }
}
