//! Where the main columns come from: the host's trace, or the device, which makes them from a few numbers.

use std::borrow::Cow;

use circle_air::{ColumnProgram, RecordedStatement, SourceColumn, TableProgram};
use field::M31;
use gpu_hal::{CircleDomain, CircleStark, Columns, HalError, MapArgs, StarkBackend, TreeMapArgs};

use super::ProveError;
use super::context::Context;
use super::keep::Keep;
use super::programs::ColumnSource;
use super::tree::{extend_ordered, extension, upload_extended};
use crate::mode::ModeOn;
use crate::observer::{Phase, go_on};
use crate::table::{Table, join, shape};

/// Makes the main columns of a statement on the device, before a proof commits to anything.
pub trait TraceMaker: Send + Sync {
    /// A table for each component, in order, of its main columns, in the statement's [`circle_air::Statement::order`];
    /// one without columns for a component that has none. A rehearsal calls it, too: on a backend of shapes, with a
    /// mode that asks for no data. Shapes must be the same every time.
    ///
    /// # Errors
    /// [`ProveError::Trace`] if there is no honest trace; the backend's errors.
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError>;

    /// The sources of the main columns, kept on the device for proofs that make columns again instead of keeping them
    /// ([`super::Keep::Sources`]). None here: such proofs keep prefixes. A rehearsal calls it, too.
    ///
    /// # Errors
    /// As [`Self::make`].
    fn sources<'m, B: StarkBackend<P = CircleStark>, S: ModeOn<B> + 'm>(
        &'m self,
        _mode: S,
        _backend: &'m B,
    ) -> Result<Option<Box<dyn Sources<B> + 'm>>, ProveError> {
        Ok(None)
    }

    /// Numbers that say all that [`Self::make`]'s shapes and the statement's components depend on: statements whose
    /// makers say the same have the same programs and heights, and are recorded and planned once. None here: every one
    /// is.
    fn shape(&self) -> Option<Vec<u64>> {
        None
    }
}

/// The sources of a statement's main columns, which are made of them as often as they are read.
pub trait Sources<B: StarkBackend> {
    /// The main columns of a component, the same every time: as a [`TraceMaker`] makes them.
    ///
    /// # Errors
    /// The backend's errors.
    fn table(&self, component: usize) -> Result<Columns<B::Buffer>, ProveError>;
}

/// The main columns of every component.
pub(crate) struct Main<'c, B: StarkBackend> {
    pub(crate) tables: Vec<MainTable<B>>,
    /// Where they are made again.
    pub(crate) sources: Option<Box<dyn Sources<B> + 'c>>,
}

/// Makes the main columns of every component on a context.
pub(crate) trait MakeMain<B: StarkBackend<P = CircleStark>, S> {
    fn make<'c>(&'c self, context: &'c Context<'_, B, S>) -> Result<Main<'c, B>, ProveError>;
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
        mode: impl ModeOn<B>,
        backend: &B,
        component: usize,
        log_height: u32,
    ) -> Result<Table<B>, ProveError> {
        let table = &self.tables[component];
        let sources = table.sources.iter().map(|source| match source {
            SourceColumn::Recurrence(recurrence) => backend.recurrence(recurrence),
            SourceColumn::Host { log_height, values } => {
                mode.upload(backend, shape(1, *log_height), || Ok(Cow::Owned(values())))
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
                    let heights = table.sources.iter().map(SourceColumn::log_height);
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

impl<B: StarkBackend<P = CircleStark>, S: ModeOn<B>> MakeMain<B, S> for Witness<'_, B> {
    fn make<'c>(&'c self, context: &'c Context<'_, B, S>) -> Result<Main<'c, B>, ProveError> {
        let makes_again = matches!(context.keep, Keep::Sources | Keep::Halves);
        let table = |(index, component): (usize, &circle_air::RecordedComponent)| {
            go_on(context.observer, Phase::Main)?;
            if component.width(1) == 0 {
                return Ok(MainTable { rows: None, extended: None });
            }
            let (backend, order) = (context.backend, context.statement.order());
            let to = context.first_extension(component.log_size, makes_again);
            let keep = context.keeps_rows(component);
            let (rows, extended) = match self {
                Witness::Device(generator) => {
                    let rows = generator.rows(context.mode, backend, index, component.log_size)?;
                    extend_ordered(backend, rows, order, to, keep)?
                }
                _ => {
                    let table = shape(component.width(1), component.log_size);
                    let columns = || self.on_host(index).to_vec();
                    upload_extended(context.mode, backend, table, columns, (order, to), keep)?
                }
            };
            Ok(MainTable { rows, extended: Some(extended) })
        };
        let tables = context.recorded.components.iter().enumerate().map(table).collect::<Result<_, ProveError>>()?;
        let sources =
            makes_again.then(|| Box::new(WitnessSources { witness: self, context }) as Box<dyn Sources<B> + 'c>);
        Ok(Main { tables, sources })
    }
}

impl<'a, B: StarkBackend> Witness<'a, B> {
    /// The columns of a component, if the host has them.
    fn on_host(&self, component: usize) -> &[&'a [M31]] {
        match self {
            Witness::Host(trace) => &trace[component],
            Witness::Shape | Witness::Device(_) => &[],
        }
    }
}

/// A trace of the host is uploaded again, one of the device made again.
struct WitnessSources<'c, B: StarkBackend<P = CircleStark>, S> {
    witness: &'c Witness<'c, B>,
    context: &'c Context<'c, B, S>,
}

impl<B: StarkBackend<P = CircleStark>, S: ModeOn<B>> Sources<B> for WitnessSources<'_, B, S> {
    fn table(&self, component: usize) -> Result<Table<B>, ProveError> {
        let Context { mode, backend, recorded, .. } = *self.context;
        let recorded = &recorded.components[component];
        match self.witness {
            Witness::Device(generator) => generator.rows(mode, backend, component, recorded.log_size),
            witness => {
                let elements = || Ok::<_, ProveError>(Cow::Owned(witness.on_host(component).concat()));
                mode.upload(backend, shape(recorded.width(1), recorded.log_size), elements)
            }
        }
    }
}

/// The main columns that a [`TraceMaker`] makes.
pub(crate) struct FromMaker<'m, M>(pub(crate) &'m M);

impl<M: TraceMaker, B: StarkBackend<P = CircleStark>, S: ModeOn<B>> MakeMain<B, S> for FromMaker<'_, M> {
    fn make<'c>(&'c self, context: &'c Context<'_, B, S>) -> Result<Main<'c, B>, ProveError> {
        let (mode, backend, components) = (context.mode, context.backend, &context.recorded.components);
        let sources = match context.keep {
            Keep::Sources | Keep::Halves => self.0.sources(mode, backend)?,
            Keep::All | Keep::Extensions | Keep::Prefixes => None,
        };
        let mut made = match &sources {
            Some(_) => Vec::new().into_iter(),
            None => self.0.make(mode, backend)?.into_iter(),
        };
        if sources.is_none() && made.len() != components.len() {
            return Err(ProveError::TraceCount { given: made.len(), expected: components.len() });
        }
        let order = context.statement.order();
        let extend = |(index, component): (usize, &circle_air::RecordedComponent)| {
            go_on(context.observer, Phase::Main)?;
            let table = match &sources {
                Some(_) if component.width(1) == 0 => None,
                Some(sources) => Some(sources.table(index)?),
                None => made.next(),
            };
            let Some(table) = table else { return Ok(MainTable { rows: None, extended: None }) };
            let (width, log_size) = (component.width(1), component.log_size);
            if table.width != width || (width > 0 && table.log_height != log_size) {
                let (columns, rows) = (table.width, 1usize.checked_shl(table.log_height).unwrap_or(usize::MAX));
                return Err(ProveError::TraceShape { component: index, columns, rows, width, log_size });
            }
            if width == 0 {
                return Ok(MainTable { rows: None, extended: None });
            }
            let to = context.first_extension(log_size, sources.is_some());
            let (rows, extended) = extend_ordered(backend, table, order, to, context.keeps_rows(component))?;
            Ok(MainTable { rows, extended: Some(extended) })
        };
        let tables = components.iter().enumerate().map(extend).collect::<Result<_, ProveError>>()?;
        Ok(Main { tables, sources })
    }
}

impl<B: StarkBackend<P = CircleStark>, S> Context<'_, B, S> {
    /// Log2 of the blocks of rows by which a tree is committed to, if its columns can be made again.
    pub(crate) fn log_blocks(&self, can_be_made: bool) -> u32 {
        let log_blowup = self.options.log_blowup;
        // A lift keeps the last bit of the index: a block of the lowest table must have two rows.
        let can_be_halved = || self.recorded.components.iter().all(|component| component.log_size + log_blowup > 1);
        let is_halved = self.keep == Keep::Halves && can_be_made && self.backend.capabilities().blocks;
        u32::from(is_halved && can_be_halved())
    }

    /// The domain that columns of `2^log_size` rows are extended to first: the rows that a tree begins with.
    pub(crate) fn first_extension(&self, log_size: u32, can_be_made: bool) -> CircleDomain {
        extension(log_size, self.options.log_blowup, self.log_blocks(can_be_made))
    }

    /// Whether the rows of a component's main columns are there until its interaction columns are made.
    fn keeps_rows(&self, component: &circle_air::RecordedComponent) -> bool {
        self.keep == Keep::All && component.width(2) > 0
    }
}
