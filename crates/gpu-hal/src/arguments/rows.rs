//! Columns that a row program makes.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

use crate::ir::{RowList, RowOp};
use crate::{BaseOf, RowProgram, Table, TableRef, Types};

/// Arguments of [`crate::StarkBackend::rows`]: a [`RowProgram`] and its inputs.
pub struct RowRun<'a, T: Types> {
    /// The program.
    pub program: &'a RowProgram<BaseOf<T>>,
    /// The source entries, part after part. With `w = program.inputs()`, a part has a multiple of `w` columns: entry
    /// `site * height + row` of the part is in columns `w * site..w * (site + 1)` of that row. There are as many rows
    /// as entries, or more. No parts if `w` is zero.
    pub source: &'a [TableRef<'a, T>],
    /// A row beyond the entries is about entry `row mod period`. At least 1, at most the number of entries; of no
    /// meaning if the program has no inputs.
    pub period: usize,
    /// The tables that are read, as wide as [`RowProgram::tables`] says, of any height.
    pub tables: &'a [TableRef<'a, T>],
    /// Log2 of the number of rows.
    pub log_height: u32,
}

impl<T: Types> RowRun<'_, T> {
    /// Number of source entries.
    pub fn entries(&self) -> usize {
        let sites = |part: &TableRef<'_, T>| part.width / self.program.inputs().max(1);
        self.source.iter().map(|part| sites(part) << part.log_height).sum()
    }

    /// Base elements read and written at least: the source, the part of each table that its reads can reach, columns
    /// and lists. Counters are beside that.
    pub fn moved(&self) -> (usize, usize) {
        let mut reads = vec![0usize; self.tables.len()];
        for node in self.program.nodes() {
            if let RowOp::Read { table, .. } = node.op {
                reads[table as usize] += 1 << self.log_height;
            }
        }
        let tables = self.tables.iter().zip(reads).map(|(table, reads)| reads.min(table.elements()));
        let source = self.source.iter().map(TableRef::<T>::elements);
        let lists = self.program.lists().iter().map(RowList::columns);
        let written = self.program.width() + lists.sum::<usize>();
        (source.chain(tables).sum(), written << self.log_height)
    }
}

/// The result of [`crate::StarkBackend::rows`].
pub struct RowsOutput<T: Types> {
    /// A table for each list: `2^log_height` rows of `width * sites` columns, the columns of a site side by side, so
    /// that it is a part of a source.
    pub lists: Vec<Table<T>>,
    // The last field, for the same reason as in `Accumulated`.
    /// The columns, in row order.
    pub columns: Table<T>,
}

/// Whether a row had a fault in runs that nobody waited for: a backend keeps it until it is asked. At first there is
/// none.
#[derive(Default)]
pub struct DeferredFault(Option<Box<dyn Any + Send + Sync>>);

impl DeferredFault {
    /// The value that the backend keeps, if it is of this type.
    pub fn get<V: Any + Send + Sync>(&self) -> Option<&V> {
        self.0.as_ref()?.downcast_ref()
    }

    /// Keeps something until the verdict is dropped.
    pub fn keep<V: Any + Send + Sync>(&mut self, kept: V) {
        self.0 = Some(Box::new(kept));
    }
}

impl fmt::Debug for DeferredFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeferredFault({})", if self.0.is_some() { "to be asked for" } else { "no fault" })
    }
}
