//! Rows of column-major tables as the lists of elements that leaves are.

use field::Goldilocks;
use gpu_hal::{HalError, LeafLayout, Operation, Result};

use super::lanes::Lanes;

/// Leaf `i` is the rows `i * rows_per_leaf ..` one after the other, each with all its columns in order.
#[derive(Clone, Copy)]
pub(super) struct Leaves<'a> {
    columns: &'a [&'a [Goldilocks]],
    rows_per_leaf: usize,
    count: usize,
}

impl<'a> Leaves<'a> {
    /// Checks the shapes.
    pub(super) fn new(columns: &'a [&'a [Goldilocks]], rows: usize, rows_per_leaf: usize) -> Result<Self> {
        if !LeafLayout::ROWS.contains(&rows_per_leaf) {
            let detail = format!("{rows_per_leaf} rows a leaf: 1, 2, 4, 8 or 16");
            return Err(HalError::invalid(Operation::Merkle, detail));
        }
        let count = rows / rows_per_leaf;
        if !count.is_power_of_two() || count * rows_per_leaf != rows {
            return Err(HalError::invalid(
                Operation::Merkle,
                format!("{rows} rows at {rows_per_leaf} a leaf: the number of leaves must be a power of two"),
            ));
        }
        if let Some((index, column)) = columns.iter().enumerate().find(|(_, column)| column.len() != rows) {
            return Err(HalError::invalid(
                Operation::Merkle,
                format!("column {index} has {} rows where the table has {rows}", column.len()),
            ));
        }
        Ok(Self { columns, rows_per_leaf, count })
    }

    /// Number of leaves, a power of two.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Elements of a leaf.
    pub(super) fn elements(&self) -> usize {
        self.columns.len() * self.rows_per_leaf
    }

    /// Rows of a leaf.
    #[inline(always)]
    pub(super) fn rows_per_leaf(&self) -> usize {
        self.rows_per_leaf
    }

    /// The columns, each `count * rows_per_leaf` long.
    #[inline(always)]
    pub(super) fn columns(&self) -> &'a [&'a [Goldilocks]] {
        self.columns
    }

    /// Lane `l` is row `row` of leaf `leaf + l` in `column`, one of [`Self::columns`]; lanes past the last leaf are
    /// zero.
    ///
    /// # Panics
    /// If `leaf` is not the number of a leaf.
    #[inline(always)]
    pub(super) fn load<V: Lanes>(&self, column: &[Goldilocks], leaf: usize, row: usize) -> V {
        let rows = self.rows_per_leaf;
        let rest = &column[leaf * rows..];
        assert!(row < rows, "a leaf has {rows} rows");
        if rest.len() >= V::LANES * rows {
            let at = rest.as_ptr().cast();
            // The number of rows is no parameter: a hash function is large, and would be compiled for each.
            // SAFETY: Goldilocks is a transparent u64, and the length and the row were just checked.
            return unsafe {
                match rows {
                    1 => V::load_every::<1>(at, row),
                    2 => V::load_every::<2>(at, row),
                    4 => V::load_every::<4>(at, row),
                    8 => V::load_every::<8>(at, row),
                    _ => V::load_every::<16>(at, row),
                }
            };
        }
        let mut lanes = [0; 8];
        for (lane, rows) in lanes.iter_mut().zip(rest.chunks_exact(rows)) {
            *lane = rows[row].value();
        }
        // SAFETY: the array has 8 >= LANES words.
        unsafe { V::load_raw(lanes.as_ptr()) }
    }

    /// Prefetches the elements that [`Self::load`] will read at `leaf` in each of `columns`.
    #[inline(always)]
    pub(super) fn prefetch<V: Lanes>(&self, columns: &[&[Goldilocks]], leaf: usize) {
        for column in columns {
            V::prefetch(column.as_ptr().wrapping_add(leaf * self.rows_per_leaf).cast());
        }
    }
}
