//! Where preprocessed columns are, known before they are on the device.

use circle_air::{PreprocessedColumn, RecordedStatement};

/// The tables of the preprocessed columns, and the part that each component reads.
pub(crate) struct Layout {
    /// One table for each height, lowest first.
    pub(crate) tables: Vec<TableLayout>,
    /// By component.
    pub(crate) reads: Vec<Reading>,
}

/// Columns of one height.
pub(crate) struct TableLayout {
    pub(crate) log_size: u32,
    /// Numbers of the tree's columns.
    pub(crate) columns: Vec<usize>,
    /// Whether a component reads them in row order, and whether such a component reads them all.
    pub(crate) has_lookups: bool,
    pub(crate) keeps_rows: bool,
}

/// The columns that a component reads.
pub(crate) struct Reading {
    /// The table; `None` if the component reads nothing. All columns that it reads have its height.
    pub(crate) table: Option<usize>,
    /// Numbers of the table's columns.
    pub(crate) columns: Vec<usize>,
    /// Whether these are all in order.
    pub(crate) is_whole: bool,
    pub(crate) has_lookups: bool,
}

impl Layout {
    /// `is_shared`: other statements may read other columns, so all are kept in row order.
    pub(crate) fn new(recorded: &RecordedStatement, is_shared: bool) -> Self {
        let mut tables = tables(&recorded.preprocessed, is_shared);
        let reads = recorded.components.iter().zip(&recorded.preprocessed_indices).map(|(component, read)| {
            let table = tables.iter().position(|table| read.first().is_some_and(|first| table.columns.contains(first)));
            let of_table: &[usize] = table.map_or(&[], |table| &tables[table].columns);
            let columns = read.iter().filter_map(|column| of_table.iter().position(|other| other == column)).collect();
            let (is_whole, has_lookups) = (table.is_some() && read == of_table, component.logup.is_some());
            if let (Some(table), true) = (table, has_lookups) {
                tables[table].has_lookups = true;
                tables[table].keeps_rows |= is_whole;
            }
            Reading { table, columns, is_whole, has_lookups }
        });
        let reads = reads.collect();
        Self { tables, reads }
    }
}

/// The tables of preprocessed columns; all are kept in row order if other statements may read other columns.
pub(crate) fn tables(declared: &[PreprocessedColumn], is_shared: bool) -> Vec<TableLayout> {
    let mut heights: Vec<u32> = declared.iter().map(|column| column.log_size).collect();
    heights.sort_unstable();
    heights.dedup();
    let columns = |log_size| (0..declared.len()).filter(move |at| declared[*at].log_size == log_size).collect();
    let table =
        |log_size| TableLayout { log_size, columns: columns(log_size), has_lookups: is_shared, keeps_rows: is_shared };
    heights.into_iter().map(table).collect()
}
