//! Trees and openings.

use alloc::vec::Vec;

use crate::{Digest, TableRef, Types};

/// How rows become leaves: leaf `i` is rows `i * rows_per_leaf ..` one after the other, each with all its columns in
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafLayout {
    /// One of [`Self::ROWS`].
    pub rows_per_leaf: usize,
    /// Log2 of the number of rows; `None` for the height of the highest table. Where a protocol lifts
    /// ([`crate::Domain::LIFTS`]) tables may be lower than this, and more than one row a leaf takes tables of one
    /// height.
    pub log_height: Option<u32>,
    /// [`Leaves::log_parts`].
    pub log_parts: u32,
}

impl LeafLayout {
    /// The numbers of rows that a leaf can have.
    pub const ROWS: [usize; 5] = [1, 2, 4, 8, 16];

    /// Leaves of `rows_per_leaf` rows, with as many rows as the highest table has.
    pub const fn new(rows_per_leaf: usize) -> Self {
        Self { rows_per_leaf, log_height: None, log_parts: 0 }
    }

    /// One row a leaf, `2^log_height` rows.
    pub const fn lifted(log_height: u32) -> Self {
        Self { rows_per_leaf: 1, log_height: Some(log_height), log_parts: 0 }
    }

    /// The same leaves, of one of `2^log_parts` parts of a tree ([`crate::hash::Top`]).
    #[must_use]
    pub const fn of_part(self, log_parts: u32) -> Self {
        Self { log_parts, ..self }
    }

    /// The leaves over tables, for operations; where no height is given, the tree is as high as the highest table.
    #[cfg(feature = "std")]
    pub(crate) fn of<B>(self, tables: &[crate::Columns<&B>]) -> Leaves {
        let Self { rows_per_leaf, log_parts, .. } = self;
        let highest = tables.iter().map(|table| table.log_height).max().unwrap_or(0);
        Leaves { rows_per_leaf, log_height: self.log_height.unwrap_or(highest), log_parts }
    }
}

/// Leaves of a tree as [`crate::Operations::merkle`] is given them: a [`LeafLayout`] whose height is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaves {
    /// One of [`LeafLayout::ROWS`].
    pub rows_per_leaf: usize,
    /// Log2 of the number of rows; there are `rows_per_leaf` times fewer leaves.
    pub log_height: u32,
    /// Log2 of the trees like this one that together are the levels below some level of a higher tree; 0 for a tree by
    /// itself. Rows and tables are those of the part.
    pub log_parts: u32,
}

impl Leaves {
    /// Log2 of the number of leaves.
    pub const fn log_leaves(&self) -> u32 {
        self.log_height - self.rows_per_leaf.ilog2()
    }
}

/// Rows and paths wanted of one tree.
pub struct OpenRequest<'a, T: Types> {
    /// Tables whose rows are opened: the ones that the tree was built over.
    pub columns: &'a [TableRef<'a, T>],
    /// The tree.
    pub tree: &'a T::Tree,
    /// Storage indices of the rows, any order, repeats allowed: of the highest table, or of the tree's leaves if they
    /// are more; lower tables are lifted.
    pub rows: &'a [usize],
    /// Leaves whose paths are wanted, any order, repeats allowed.
    pub leaves: &'a [usize],
}

impl<T: Types> OpenRequest<'_, T> {
    /// Base elements of a row: columns of all tables.
    pub fn width(&self) -> usize {
        self.columns.iter().map(|table| table.width).sum()
    }
}

/// The opened rows and paths of one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened<F> {
    /// For each row all columns of all tables in order.
    pub rows: Vec<Vec<F>>,
    /// For each leaf its siblings from the leaf level upward, root excluded.
    pub paths: Vec<Vec<Digest>>,
}
