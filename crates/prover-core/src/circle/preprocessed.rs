//! Tree 0: the same for every proof of a statement, so it is made once and stays on the device.

use circle_air::{RecordedStatement, Statement};
use gpu_hal::{CircleStark, Columns, StarkBackend};

use super::ProveError;
use super::tree::{Part, Table, Tree, extend, upload};

/// Tree 0, and what each component reads of it.
pub(crate) struct Preprocessed<B: StarkBackend> {
    pub(crate) tree: Tree<B>,
    components: Vec<Read<B>>,
}

/// The preprocessed columns of a component, in the order of its program's group.
struct Read<B: StarkBackend> {
    /// In row order, for the lookups.
    rows: Option<Table<B>>,
    extended: Extended<B>,
}

enum Extended<B: StarkBackend> {
    /// A whole table of the tree.
    Shared(usize),
    Own(Table<B>),
}

impl<B: StarkBackend<P = CircleStark>> Preprocessed<B> {
    /// Uploads, extends and commits.
    pub(crate) fn new(
        backend: &B,
        statement: &dyn Statement,
        recorded: &RecordedStatement,
        log_blowup: u32,
        lifting: Option<u32>,
    ) -> Result<Self, ProveError> {
        let values = statement.preprocessed_values(lifting);
        let declared = &recorded.preprocessed;
        for column in 0..values.len().max(declared.len()) {
            let rows = values.get(column).map_or(0, Vec::len);
            let expected = declared.get(column).map_or(0, |column| 1 << column.log_size);
            if rows != expected {
                return Err(ProveError::Preprocessed { column, rows, expected, given: values.len() });
            }
        }
        // One table for each height.
        let mut heights: Vec<u32> = declared.iter().map(|column| column.log_size).collect();
        heights.sort_unstable();
        heights.dedup();
        let (mut row_tables, mut parts) = (Vec::new(), Vec::new());
        for log_size in heights {
            let columns: Vec<usize> = (0..declared.len()).filter(|at| declared[*at].log_size == log_size).collect();
            let slices: Vec<_> = columns.iter().map(|column| values[*column].as_slice()).collect();
            let rows = upload(backend, &slices, log_size)?;
            parts.push(Part { table: extend(backend, rows.as_ref(), log_blowup)?, columns });
            row_tables.push(rows);
        }
        let tree = Tree::commit(backend, parts, lifting)?;
        let components = recorded.components.iter().zip(&recorded.preprocessed_indices);
        let components = components.map(|(component, read)| {
            let places: Vec<(usize, usize)> = read.iter().map(|column| tree.places[*column]).collect();
            let log_extended = component.log_size + log_blowup;
            Ok(Read {
                rows: match component.logup {
                    // Heights ascend, so the tables in row order are those of the tree.
                    Some(_) => Some(pick(backend, &row_tables, &places, component.log_size)?),
                    None => None,
                },
                extended: match places.first() {
                    Some((table, _)) if is_whole(&places, *table, tree.tables[*table].width) => {
                        Extended::Shared(*table)
                    }
                    _ => Extended::Own(pick(backend, &tree.tables, &places, log_extended)?),
                },
            })
        });
        let components = components.collect::<Result<_, ProveError>>()?;
        Ok(Self { tree, components })
    }

    /// What a component reads, in row order; `None` if it has no lookups.
    pub(crate) fn rows(&self, component: usize) -> Option<Columns<&B::Buffer>> {
        self.components[component].rows.as_ref().map(Columns::as_ref)
    }

    /// What a component reads, extended.
    pub(crate) fn extended(&self, component: usize) -> Columns<&B::Buffer> {
        match &self.components[component].extended {
            Extended::Shared(table) => self.tree.tables[*table].as_ref(),
            Extended::Own(table) => table.as_ref(),
        }
    }
}

/// Whether the places are all columns of a table in order.
fn is_whole(places: &[(usize, usize)], table: usize, width: usize) -> bool {
    places.iter().copied().eq((0..width).map(|column| (table, column)))
}

/// A table of the picked columns; one of no columns has its height, too.
fn pick<B: StarkBackend<P = CircleStark>>(
    backend: &B,
    tables: &[Table<B>],
    places: &[(usize, usize)],
    log_height: u32,
) -> Result<Table<B>, ProveError> {
    let Some((table, _)) = places.first() else {
        return Ok(backend.upload(&[], 0, log_height)?);
    };
    // All columns that a component reads have its height, so they are of one table.
    let picks: Vec<(usize, usize)> = places.iter().map(|(_, column)| (0, *column)).collect();
    Ok(backend.select(&[tables[*table].as_ref()], &picks)?)
}
