//! Columns that are made from others, row by row.

use crate::{ExtOf, Table, TableRef, Types};

/// How a running column accumulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunningKind {
    /// Product of the ratios.
    Product,
    /// Sum of the ratios.
    Sum,
}

/// A column whose row `i` is the product or sum of `numerator/denominator` over the rows `j <= i` (inclusive) or
/// `j < i` (exclusive: row 0 is 1 or 0). A ratio with denominator zero counts as zero.
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

/// The columns that [`crate::StarkBackend::running`] builds from the outputs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningForm<'a> {
    /// Each of these columns for itself; at least one. A lower table of the inputs is periodic: row `i` reads its row
    /// `i mod height`.
    Columns(&'a [RunningColumn]),
    /// A column of fractions summed up (logup, circle.md section 16), from the (numerator, denominator) of every
    /// fraction, which are indices into the program's outputs; at least one. All tables of the inputs have one height.
    /// With the ratios `q_b = numerator_b/denominator_b` of a row, extension column `b` but the last is
    /// `q_0 + ... + q_b`; the last is the inclusive running sum over the rows of `s - total/2^log_height`, where
    /// `s = q_0 + ... + q_last` and `total` is the sum of `s` over all rows, so that it ends at zero. A ratio with
    /// denominator zero counts as zero.
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
pub struct RunningRequest<'a, T: Types> {
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

/// The columns that [`crate::StarkBackend::running`] built, in row order.
pub struct Accumulated<T: Types> {
    /// The total that the last column of [`RunningForm::Logup`] is centred by; zero for other forms.
    pub total: ExtOf<T>,
    // The last field, as rustc 1.95 fails to compile `Vec`s of a generic struct that ends with a projection of a
    // projection.
    /// The extension columns.
    pub columns: Table<T>,
}

/// Arguments of [`crate::StarkBackend::map`].
pub struct MapArgs<'a, T: Types> {
    /// The prepared program. The outputs that are wanted are base values and depend on no parameter.
    pub program: &'a T::Program,
    /// One table per group of the program, in row order. A lower table is periodic: row `i` reads its row
    /// `i mod height`. Row offsets wrap around.
    pub columns: &'a [TableRef<'a, T>],
    /// Log2 of the number of rows.
    pub log_height: u32,
    /// The outputs wanted, one base column each.
    pub outputs: &'a [usize],
}

/// Arguments of [`crate::StarkBackend::tree_map`]: a table of a binary tree. Row 1 is the root, the children of row `i`
/// are rows `2i` and `2i + 1`, and the upper half of the rows are the leaves. Row 0 is no node; it is made as a leaf.
pub struct TreeMapArgs<'a, T: Types> {
    /// Makes a leaf. All its outputs are base values and depend on no parameter: first [`Self::width`] columns, then
    /// one or more values that go up to the parent.
    pub leaf: &'a T::Program,
    /// Makes an inner row, with as many outputs of the same meaning. It has the groups of [`Self::leaf`] and one more,
    /// of base columns that are read without a row offset: the values that row `2i` handed up, then the values of row
    /// `2i + 1`.
    pub node: &'a T::Program,
    /// One table per group of [`Self::leaf`], in row order. A lower table is periodic: row `i` reads its row
    /// `i mod height`. Row offsets wrap around.
    pub columns: &'a [TableRef<'a, T>],
    /// Log2 of the number of rows, at least 1.
    pub log_height: u32,
    /// Columns to build, at least 1.
    pub width: usize,
}
