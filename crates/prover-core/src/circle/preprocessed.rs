//! Tree 0: the same for every proof of a statement, and of statements that share the columns, so it is made once and
//! stays on the device.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use circle_air::{PreprocessedColumn, RecordedStatement, Statement};
use circle_proof::CircleOptions;
use field::M31;
use gpu_hal::ir::lowered::LruCache;
use gpu_hal::{
    CircleDomain, CircleStark, Columns, Digest, EvalOrder, HashFn, LinearRecurrence, Operation, StarkBackend,
};

use super::ProveError;
use super::layout::{Layout, Reading, TableLayout};
use super::shape::{PlannedShape, ShapeKey};
use super::tree::{Part, Tree, extend_ordered, upload_extended};
use crate::mode::ModeOn;
use crate::table::{Table, join, shape};

/// The preprocessed columns on a device, committed to.
pub struct PreprocessedTrace<B: StarkBackend<P = CircleStark>> {
    /// The backend, which is known again by its address: as long as this lives no other one has that.
    backend: Weak<B>,
    columns: Vec<PreprocessedColumn>,
    options: (u32, Option<u32>, HashFn),
    tree: Tree<B>,
    /// By height, in row order, where a component has a use for it.
    rows: Vec<Option<Table<B>>>,
    /// The shapes of the statements that were proven with them last.
    known: Mutex<LruCache<ShapeKey, Arc<PlannedShape<B>>>>,
}

/// Most shapes of statements that are known.
const SHAPES: usize = 4;

/// The columns of tree 0, as a statement has them, or all statements that share them.
pub struct PreprocessedColumns<'a> {
    /// Their names and heights, in order.
    pub declared: Vec<PreprocessedColumn>,
    /// The order of their values.
    pub order: EvalOrder,
    /// Makes their values.
    pub values: &'a (dyn Fn() -> Vec<Vec<M31>> + 'a),
}

/// Tree 0, and the part that each component reads.
pub(crate) struct Preprocessed<B: StarkBackend<P = CircleStark>> {
    trace: Arc<PreprocessedTrace<B>>,
    components: Vec<ReadColumns<B>>,
}

/// The preprocessed columns of a component, in the order of its program's group; nothing if it reads none.
struct ReadColumns<B: StarkBackend<P = CircleStark>> {
    /// In row order, for the lookups.
    rows: Option<Source<B>>,
    extended: Option<Source<B>>,
}

enum Source<B: StarkBackend<P = CircleStark>> {
    /// A whole table.
    Shared(usize),
    Own(Table<B>),
}

/// How a device makes the columns, if there is a way and it has the operations.
pub(crate) fn program<B: StarkBackend>(
    backend: &B,
    statement: &dyn Statement,
    lifting: Option<u32>,
) -> Option<Vec<LinearRecurrence<M31>>> {
    let can = [Operation::Recurrence, Operation::Select].into_iter().all(|op| backend.has(op));
    statement.preprocessed_program(lifting).filter(|_| can)
}

/// The options that the columns and their tree depend on.
fn committed_options(options: &CircleOptions) -> (u32, Option<u32>, HashFn) {
    (options.log_blowup, options.lifting, options.suite.tree())
}

impl<B: StarkBackend<P = CircleStark>> PreprocessedTrace<B> {
    /// Makes the columns by the program or uploads them, extends and commits.
    pub(crate) fn new(
        mode: impl ModeOn<B>,
        backend: &B,
        columns: &PreprocessedColumns<'_>,
        program: Option<Vec<LinearRecurrence<M31>>>,
        tables: &[TableLayout],
        options: &CircleOptions,
    ) -> Result<Self, ProveError> {
        let PreprocessedColumns { declared, order, values } = columns;
        let (order, log_blowup) = (*order, options.log_blowup);
        let host = || mode.either(|| Some(values()), || None);
        let values = if program.is_some() { None } else { host() };
        // The values are unknown in a rehearsal, which does not ask for them.
        let of_values = || values.as_ref().map(|values| values.iter().map(Vec::len).collect());
        let of_program = |program: &Vec<LinearRecurrence<M31>>| {
            program.iter().map(|column| 1usize.checked_shl(column.log_height).unwrap_or(usize::MAX)).collect()
        };
        if let Some(heights) = program.as_ref().map(of_program).or_else(of_values) {
            check_shape(declared, heights)?;
        }
        let values = values.unwrap_or_default();
        let (mut rows, mut parts) = (Vec::new(), Vec::new());
        for table in tables {
            let to = CircleDomain::canonic(table.log_size + log_blowup);
            let (in_order, extended) = match &program {
                Some(program) => {
                    let made = table.columns.iter().map(|column| backend.recurrence(&program[*column]));
                    let made = join(backend, made.collect::<Result<_, _>>()?)?;
                    extend_ordered(backend, made, order, to, table.has_lookups)?
                }
                None => {
                    let columns = || table.columns.iter().map(|column| values[*column].as_slice()).collect();
                    let of_table = shape(table.columns.len(), table.log_size);
                    upload_extended(mode, backend, of_table, columns, (order, to), table.has_lookups)?
                }
            };
            parts.push(Part { table: extended, columns: table.columns.clone() });
            rows.push(in_order);
        }
        drop(values);
        let tree = Tree::commit(backend, parts, options)?;
        let (columns, known) = (declared.clone(), Mutex::new(LruCache::new(SHAPES)));
        Ok(Self { backend: Weak::new(), columns, options: committed_options(options), tree, rows, known })
    }

    /// To be used again in other provers on the same backend.
    pub(crate) fn on(self, backend: &Arc<B>) -> Self {
        Self { backend: Arc::downgrade(backend), ..self }
    }

    /// The known facts of statements of a shape.
    pub(crate) fn known(&self, key: &ShapeKey) -> Option<Arc<PlannedShape<B>>> {
        self.known_shapes().get(|known| known == key).cloned()
    }

    /// Keeps the facts of statements of a shape.
    pub(crate) fn learn(&self, key: ShapeKey, known: Arc<PlannedShape<B>>) {
        let mut shapes = self.known_shapes();
        if shapes.get(|other| *other == key).is_none() {
            shapes.insert(key, known);
        }
    }

    fn known_shapes(&self) -> MutexGuard<'_, LruCache<ShapeKey, Arc<PlannedShape<B>>>> {
        // No change of the list can stop halfway.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether these are the columns of a statement, as its options want them, on this backend.
    pub(crate) fn fits(&self, backend: &Arc<B>, recorded: &RecordedStatement, options: &CircleOptions) -> bool {
        self.backend.ptr_eq(&Arc::downgrade(backend))
            && self.columns == recorded.preprocessed
            && self.options == committed_options(options)
            && self.rows.iter().all(Option::is_some)
    }

    /// The columns that each component reads.
    fn reads(&self, backend: &B, layout: &Layout) -> Result<Vec<ReadColumns<B>>, ProveError> {
        let source = |reading: &Reading, tables: &[Option<Columns<&B::Buffer>>]| match reading.table {
            Some(table) if reading.is_whole => Ok(Some(Source::Shared(table))),
            Some(table) => {
                let table = tables[table].expect("rows are there as long as a component has lookups");
                let picks: Vec<(usize, usize)> = reading.columns.iter().map(|column| (0, *column)).collect();
                backend.select(&[table], &picks).map(|table| Some(Source::Own(table)))
            }
            None => Ok(None),
        };
        let in_order: Vec<_> = self.rows.iter().map(|table| table.as_ref().map(Columns::as_ref)).collect();
        let extended: Vec<_> = self.tree.tables.iter().map(|table| Some(table.as_ref())).collect();
        let components = layout.reads.iter().map(|reading| {
            let rows = if reading.has_lookups { source(reading, &in_order)? } else { None };
            Ok(ReadColumns { rows, extended: source(reading, &extended)? })
        });
        components.collect()
    }

    /// The root of their tree.
    pub fn root(&self) -> Digest {
        self.tree.root
    }
}

impl<B: StarkBackend<P = CircleStark>> Preprocessed<B> {
    /// With columns that no other statement reads: columns that no component reads any more are dropped.
    pub(crate) fn own(backend: &B, mut trace: PreprocessedTrace<B>, layout: &Layout) -> Result<Self, ProveError> {
        let components = trace.reads(backend, layout)?;
        let kept = trace.rows.into_iter().zip(&layout.tables).map(|(rows, table)| rows.filter(|_| table.keeps_rows));
        trace.rows = kept.collect();
        Ok(Self { trace: Arc::new(trace), components })
    }

    /// With columns that other statements may read, too.
    pub(crate) fn shared(backend: &B, trace: Arc<PreprocessedTrace<B>>, layout: &Layout) -> Result<Self, ProveError> {
        let components = trace.reads(backend, layout)?;
        Ok(Self { trace, components })
    }

    pub(crate) fn trace(&self) -> &Arc<PreprocessedTrace<B>> {
        &self.trace
    }

    pub(crate) fn tree(&self) -> &Tree<B> {
        &self.trace.tree
    }

    /// The columns that a component reads, in row order; `None` if it reads none or has no lookups.
    pub(crate) fn rows(&self, component: usize) -> Option<Columns<&B::Buffer>> {
        match self.components[component].rows.as_ref()? {
            Source::Shared(table) => self.trace.rows[*table].as_ref().map(Columns::as_ref),
            Source::Own(table) => Some(table.as_ref()),
        }
    }

    /// The columns that a component reads, extended; `None` if it reads none.
    pub(crate) fn extended(&self, component: usize) -> Option<Columns<&B::Buffer>> {
        Some(match self.components[component].extended.as_ref()? {
            Source::Shared(table) => self.trace.tree.tables[*table].as_ref(),
            Source::Own(table) => table.as_ref(),
        })
    }
}

/// As many columns as are declared, of the declared heights.
fn check_shape(declared: &[PreprocessedColumn], heights: Vec<usize>) -> Result<(), ProveError> {
    for column in 0..heights.len().max(declared.len()) {
        let rows = heights.get(column).copied().unwrap_or(0);
        let expected = declared.get(column).map_or(0, |column| 1 << column.log_size);
        if rows != expected {
            return Err(ProveError::Preprocessed { column, rows, expected, given: heights.len() });
        }
    }
    Ok(())
}
