//! Tree 0: the same for every proof of a statement, so it is made once and stays on the device.

use circle_air::{RecordedStatement, Statement};
use circle_proof::CircleOptions;
use field::M31;
use gpu_hal::{CircleStark, Columns, Operation, Recurrence, StarkBackend};

use super::ProveError;
use super::tree::{Part, Tree, extend, upload_extended};
use crate::stage::Stage;
use crate::table::{Table, join, shape};

/// Tree 0, and what each component reads of it.
pub(crate) struct Preprocessed<B: StarkBackend> {
    pub(crate) tree: Tree<B>,
    /// In row order, where a component has a use for a whole table.
    rows: Vec<Option<Table<B>>>,
    components: Vec<Read<B>>,
}

/// The preprocessed columns of a component, in the order of its program's group.
struct Read<B: StarkBackend> {
    /// In row order, for the lookups.
    rows: Option<Source<B>>,
    extended: Source<B>,
}

enum Source<B: StarkBackend> {
    /// A whole table.
    Shared(usize),
    Own(Table<B>),
}

/// Which tables there are and who reads what, known before there are any.
pub(crate) struct Layout {
    /// One table for each height, lowest first.
    pub(crate) tables: Vec<TableLayout>,
    /// By component.
    pub(crate) reads: Vec<Reading>,
}

pub(crate) struct TableLayout {
    pub(crate) log_size: u32,
    /// Of the tree.
    pub(crate) columns: Vec<usize>,
    /// Whether a component reads them in row order, and whether one of those reads them all.
    pub(crate) has_lookups: bool,
    pub(crate) keeps_rows: bool,
}

pub(crate) struct Reading {
    /// The table; `None` if the component reads nothing. All columns that it reads have its height.
    pub(crate) table: Option<usize>,
    /// Of the table.
    pub(crate) columns: Vec<usize>,
    /// Whether these are all in order.
    pub(crate) is_whole: bool,
    pub(crate) log_size: u32,
    pub(crate) has_lookups: bool,
}

impl Layout {
    pub(crate) fn new(recorded: &RecordedStatement) -> Self {
        let declared = &recorded.preprocessed;
        let mut heights: Vec<u32> = declared.iter().map(|column| column.log_size).collect();
        heights.sort_unstable();
        heights.dedup();
        let columns = |log_size| (0..declared.len()).filter(move |at| declared[*at].log_size == log_size).collect();
        let table =
            |log_size| TableLayout { log_size, columns: columns(log_size), has_lookups: false, keeps_rows: false };
        let mut tables: Vec<TableLayout> = heights.into_iter().map(table).collect();
        let reads = recorded.components.iter().zip(&recorded.preprocessed_indices).map(|(component, read)| {
            let table = tables.iter().position(|table| read.first().is_some_and(|first| table.columns.contains(first)));
            let of_table: &[usize] = table.map_or(&[], |table| &tables[table].columns);
            let columns = read.iter().filter_map(|column| of_table.iter().position(|other| other == column)).collect();
            let (is_whole, has_lookups) = (table.is_some() && read == of_table, component.logup.is_some());
            if let (Some(table), true) = (table, has_lookups) {
                tables[table].has_lookups = true;
                tables[table].keeps_rows |= is_whole;
            }
            Reading { table, columns, is_whole, log_size: component.log_size, has_lookups }
        });
        let reads = reads.collect();
        Self { tables, reads }
    }
}

/// How a device makes the columns, if there is a way and it has the operations.
pub(crate) fn program<B: StarkBackend>(
    backend: &B,
    statement: &dyn Statement,
    lifting: Option<u32>,
) -> Option<Vec<Recurrence<M31>>> {
    let can = [Operation::Recurrence, Operation::Select].into_iter().all(|op| backend.has(op));
    statement.preprocessed_program(lifting).filter(|_| can)
}

impl<B: StarkBackend<P = CircleStark>> Preprocessed<B> {
    /// Makes the columns by the program or uploads them, extends and commits.
    pub(crate) fn new(
        stage: impl Stage<B>,
        backend: &B,
        statement: &dyn Statement,
        program: Option<Vec<Recurrence<M31>>>,
        (recorded, layout): (&RecordedStatement, &Layout),
        options: &CircleOptions,
    ) -> Result<Self, ProveError> {
        let (log_blowup, lifting) = (options.log_blowup, options.lifting);
        let host = || stage.either(|| Some(statement.preprocessed_values(lifting)), || None);
        let values = if program.is_some() { None } else { host() };
        // Of values that a rehearsal does not ask for, nothing is known.
        let of_values = || values.as_ref().map(|values| values.iter().map(Vec::len).collect());
        let of_program = |program: &Vec<Recurrence<M31>>| {
            program.iter().map(|column| 1usize.checked_shl(column.log_height).unwrap_or(usize::MAX)).collect()
        };
        if let Some(heights) = program.as_ref().map(of_program).or_else(of_values) {
            check_shape(recorded, heights)?;
        }
        let values = values.unwrap_or_default();
        let (mut rows, mut parts) = (Vec::new(), Vec::new());
        for table in &layout.tables {
            let (in_order, extended) = match &program {
                Some(program) => {
                    let made = table.columns.iter().map(|column| backend.recurrence(&program[*column]));
                    let made = join(backend, made.collect::<Result<_, _>>()?)?;
                    let extended = extend(backend, made.as_ref(), log_blowup)?;
                    (table.has_lookups.then_some(made), extended)
                }
                None => {
                    let columns = || table.columns.iter().map(|column| values[*column].as_slice()).collect();
                    let of_table = shape(table.columns.len(), table.log_size);
                    upload_extended(stage, backend, of_table, columns, log_blowup, table.has_lookups)?
                }
            };
            parts.push(Part { table: extended, columns: table.columns.clone() });
            rows.push(in_order);
        }
        drop(values);
        let tree = Tree::commit(backend, parts, lifting)?;
        let source = |reading: &Reading, tables: &[Option<Columns<&B::Buffer>>], log_height| match reading.table {
            Some(table) if reading.is_whole => Ok(Source::Shared(table)),
            Some(table) => {
                let table = tables[table].expect("rows are there as long as a component has lookups");
                let picks: Vec<(usize, usize)> = reading.columns.iter().map(|column| (0, *column)).collect();
                backend.select(&[table], &picks).map(Source::Own)
            }
            None => backend.upload(&[], 0, log_height).map(Source::Own),
        };
        let in_order: Vec<_> = rows.iter().map(|table| table.as_ref().map(Columns::as_ref)).collect();
        let extended: Vec<_> = tree.tables.iter().map(|table| Some(table.as_ref())).collect();
        let components = layout.reads.iter().map(|reading| {
            let rows = reading.has_lookups.then(|| source(reading, &in_order, reading.log_size)).transpose()?;
            let extended = source(reading, &extended, reading.log_size + log_blowup)?;
            Ok(Read { rows, extended })
        });
        let components = components.collect::<Result<_, ProveError>>()?;
        let kept = rows.into_iter().zip(&layout.tables).map(|(rows, table)| rows.filter(|_| table.keeps_rows));
        let rows = kept.collect();
        Ok(Self { tree, rows, components })
    }

    /// What a component reads, in row order; `None` if it has no lookups.
    pub(crate) fn rows(&self, component: usize) -> Option<Columns<&B::Buffer>> {
        match self.components[component].rows.as_ref()? {
            Source::Shared(table) => self.rows[*table].as_ref().map(Columns::as_ref),
            Source::Own(table) => Some(table.as_ref()),
        }
    }

    /// What a component reads, extended.
    pub(crate) fn extended(&self, component: usize) -> Columns<&B::Buffer> {
        match &self.components[component].extended {
            Source::Shared(table) => self.tree.tables[*table].as_ref(),
            Source::Own(table) => table.as_ref(),
        }
    }
}

/// As many columns as are declared, of the declared heights.
fn check_shape(recorded: &RecordedStatement, heights: Vec<usize>) -> Result<(), ProveError> {
    let declared = &recorded.preprocessed;
    for column in 0..heights.len().max(declared.len()) {
        let rows = heights.get(column).copied().unwrap_or(0);
        let expected = declared.get(column).map_or(0, |column| 1 << column.log_size);
        if rows != expected {
            return Err(ProveError::Preprocessed { column, rows, expected, given: heights.len() });
        }
    }
    Ok(())
}
