//! Tables of multilinear polynomials: how a variable is bound, and sums over the corners of a hypercube.

use alloc::vec::Vec;

use crate::{ExtOf, Table, TableRef, Types};

/// Rows of a table as multilinear polynomials, a column each: row `first + i` has the values at the corner whose
/// coordinates are the bits of `i`, the first variable the highest. So the first variable tells the lower half of the
/// rows from the upper half. A layer of a binary tree is such rows.
pub struct Multilinear<'a, T: Types> {
    /// The table.
    pub table: TableRef<'a, T>,
    /// The first row.
    pub first: usize,
    /// The variables: there are `2^variables` rows.
    pub variables: u32,
}

impl<T: Types> Clone for Multilinear<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Types> Copy for Multilinear<'_, T> {}

impl<'a, T: Types> Multilinear<'a, T> {
    /// All rows of a table.
    pub const fn all(table: TableRef<'a, T>) -> Self {
        Self { table, first: 0, variables: table.log_height }
    }

    /// A layer of a table of a binary tree: its rows `2^variables .. 2^(variables + 1)`.
    pub const fn layer(table: TableRef<'a, T>, variables: u32) -> Self {
        Self { table, first: 1 << variables, variables }
    }
}

/// A table to be made by [`crate::StarkBackend::bind`]: of the halves of the rows `low + challenge (high - low)`,
/// `2^(variables - 1)` rows.
pub struct BindRequest<'a, T: Types> {
    /// Polynomials over the extension, of one variable or more: extension columns.
    pub values: Multilinear<'a, T>,
    /// The value of the first variable.
    pub challenge: ExtOf<T>,
}

/// Sums to be found by [`crate::StarkBackend::sum`]: of a program of multilinear polynomials at 0 and 1 of the first
/// variable, times the weight of the corner of the others. Values at 2 are twice those at 1 less those at 0, so a
/// program gives the sums that a round of a sum-check needs.
pub struct SumRequest<'a, T: Types> {
    /// The prepared program. A load with the row offset 0 is the value where the first variable is 0, one with the
    /// offset 1 that where it is 1; there are no other offsets.
    pub program: &'a T::Program,
    /// The polynomials of each group of the program, all of as many variables, one or more.
    pub values: &'a [Multilinear<'a, T>],
    /// Values of the program's parameters.
    pub params: &'a [ExtOf<T>],
    /// The outputs that are summed, at least one.
    pub outputs: &'a [usize],
    /// The weights, by halves: an extension column of the variables behind the first, then one of the last variables.
    /// The weight of a corner is the product of the two. Together they have all variables but the first. So a table of
    /// `eq` is given as two, which have the square root of its rows.
    pub weights: [Multilinear<'a, T>; 2],
}

/// Polynomials to be bound, and their sums to be found, by [`crate::StarkBackend::bind_sum`]: a round of a sum-check
/// binds a variable and sums over those that are left.
pub struct BindSumRequest<'a, T: Types> {
    /// The value of the first variable.
    pub challenge: ExtOf<T>,
    /// The prepared program, of one group of extension columns. A load with the row offset 0 is the value where the
    /// second variable is 0, one with the offset 1 that where it is 1; there are no other offsets.
    pub program: &'a T::Program,
    /// The polynomials of the group, of two variables or more.
    pub values: Multilinear<'a, T>,
    /// Values of the program's parameters.
    pub params: &'a [ExtOf<T>],
    /// The outputs that are summed, at least one.
    pub outputs: &'a [usize],
    /// The weights, as in [`SumRequest`]: together they have all variables but the first two.
    pub weights: [Multilinear<'a, T>; 2],
}

/// The result of [`crate::StarkBackend::bind_sum`] for a request.
pub struct BoundSums<T: Types> {
    /// A sum of each wanted output.
    pub sums: Vec<ExtOf<T>>,
    // The last field, for the same reason as in `Accumulated`.
    /// The polynomials with the first variable bound.
    pub values: Table<T>,
}
