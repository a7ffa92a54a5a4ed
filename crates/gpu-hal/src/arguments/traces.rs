//! Columns that are made from others, row by row.

use std::any::Any;
use std::fmt;

use crate::{BaseOf, ExtOf, RowList, RowOp, RowProgram, Table, TableRef, Types};

/// How a running column accumulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunningKind {
    /// Product of the ratios.
    Product,
    /// Sum of the ratios.
    Sum,
}

/// A column whose row `i` is the product or sum of `numerator/denominator` over the rows `j <= i` (inclusive) or `j < i`
/// (exclusive: row 0 is 1 or 0). A ratio with denominator zero counts as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunningColumn {
    /// Product or sum.
    pub kind: RunningKind,
    /// Whether row `i` includes its own ratio.
    pub inclusive: bool,
    /// Index into the program's outputs.
    pub numerator: usize,
    /// Index into the program's outputs.
    pub denominator: usize,
}

/// What [`crate::StarkBackend::running`] builds of the outputs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningForm<'a> {
    /// Each of these columns for itself; at least one. A lower table of the inputs is periodic: row `i` reads its row
    /// `i mod height`.
    Columns(&'a [RunningColumn]),
    /// A column of fractions summed up (logup, circle.md section 16), from the (numerator, denominator) of every fraction, which
    /// are indices into the program's outputs; at least one. All tables of the inputs have one height. With the ratios
    /// `q_b = numerator_b/denominator_b` of a row, extension column `b` but the last is `q_0 + ... + q_b`; the last is the
    /// inclusive running sum over the rows of `s - total/2^log_height`, where `s = q_0 + ... + q_last` and `total` is the sum of
    /// `s` over all rows, so that it ends at zero. A ratio with denominator zero counts as zero.
    Logup(&'a [(usize, usize)]),
}

impl RunningForm<'_> {
    /// How many extension columns are built.
    pub fn width(&self) -> usize {
        match self {
            Self::Columns(columns) => columns.len(),
            Self::Logup(fractions) => fractions.len(),
        }
    }

    /// Whether a total comes to the host with the columns.
    pub fn has_total(&self) -> bool {
        matches!(self, Self::Logup(_))
    }
}

/// One table to be built by [`crate::StarkBackend::running`].
pub struct Running<'a, T: Types> {
    /// The prepared program.
    pub program: &'a T::Program,
    /// One table per group of the program, in row order. Row offsets wrap around.
    pub columns: &'a [TableRef<'a, T>],
    /// Log2 of the number of rows.
    pub log_height: u32,
    /// Values of the program's parameters.
    pub params: &'a [ExtOf<T>],
    /// The columns to build.
    pub form: RunningForm<'a>,
}

/// What [`crate::StarkBackend::running`] built, in row order.
pub struct Accumulated<T: Types> {
    /// The total that the last column of [`RunningForm::Logup`] is centred by; zero for other forms.
    pub total: ExtOf<T>,
    // The last field, as rustc 1.95 fails to compile `Vec`s of a generic struct that ends with a projection of a projection.
    /// The extension columns.
    pub columns: Table<T>,
}

/// Arguments of [`crate::StarkBackend::map`].
pub struct Map<'a, T: Types> {
    /// The prepared program. The outputs that are wanted are base values and depend on no parameter.
    pub program: &'a T::Program,
    /// One table per group of the program, in row order. A lower table is periodic: row `i` reads its row `i mod height`.
    /// Row offsets wrap around.
    pub columns: &'a [TableRef<'a, T>],
    /// Log2 of the number of rows.
    pub log_height: u32,
    /// The outputs wanted, one base column each.
    pub outputs: &'a [usize],
}

/// Arguments of [`crate::StarkBackend::tree_map`]: a table of a binary tree. Row 1 is the root, the children of row `i` are rows `2i` and
/// `2i + 1`, and the upper half of the rows are the leaves. Row 0 is no node; it is made as a leaf.
pub struct TreeMap<'a, T: Types> {
    /// Makes a leaf. All its outputs are base values and depend on no parameter: first [`Self::width`] columns, then one or more values
    /// that go up to the parent.
    pub leaf: &'a T::Program,
    /// Makes an inner row, with as many outputs of the same meaning. It has the groups of [`Self::leaf`] and one more, of base columns
    /// that are read without a row offset: what row `2i` handed up, then what row `2i + 1` did.
    pub node: &'a T::Program,
    /// One table per group of [`Self::leaf`], in row order. A lower table is periodic: row `i` reads its row `i mod height`.
    /// Row offsets wrap around.
    pub columns: &'a [TableRef<'a, T>],
    /// Log2 of the number of rows, at least 1.
    pub log_height: u32,
    /// Columns to build, at least 1.
    pub width: usize,
}

/// Arguments of [`crate::StarkBackend::rows`]: a [`RowProgram`] and what it is run on.
pub struct RowRun<'a, T: Types> {
    /// The program.
    pub program: &'a RowProgram<BaseOf<T>>,
    /// The source entries, part after part. With `w = program.inputs()`, a part has a multiple of `w` columns: entry `site * height + row` of
    /// the part is in columns `w * site..w * (site + 1)` of that row. There are as many rows as entries, or more. No parts if `w` is zero.
    pub source: &'a [TableRef<'a, T>],
    /// A row beyond the entries is about entry `row mod period`. At least 1, at most the number of entries; of no meaning if the program
    /// has no inputs.
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

    /// Base elements read and written at least: the source, of each table what its reads can reach, columns and lists. Counters are
    /// beside that.
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

/// What [`crate::StarkBackend::rows`] made.
pub struct RowsMade<T: Types> {
    /// A table for each list: `2^log_height` rows of `width * sites` columns, those of a site side by side, so that it is a part of a source.
    pub lists: Vec<Table<T>>,
    // The last field, for the same reason as in `Accumulated`.
    /// The columns, in row order.
    pub columns: Table<T>,
}

/// Whether a row had a fault in runs that nobody waited for: what a backend keeps of them until it is asked. At first there is none.
#[derive(Default)]
pub struct Verdict(Option<Box<dyn Any + Send + Sync>>);

impl Verdict {
    /// What the backend keeps, if it is of this type.
    pub fn get<V: Any + Send + Sync>(&self) -> Option<&V> {
        self.0.as_ref()?.downcast_ref()
    }

    /// Keeps something until the verdict is dropped.
    pub fn keep<V: Any + Send + Sync>(&mut self, kept: V) {
        self.0 = Some(Box::new(kept));
    }
}

impl fmt::Debug for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verdict({})", if self.0.is_some() { "to be asked for" } else { "no fault" })
    }
}
