//! The sides of a call that backends around others need: the handles that it is given, the things that it makes.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::{
    Basis, Columns, ConstraintProgram, DeviceBuffer, DeviceTree, DomainOf, Footprint, Protocol, Result, Table,
    TableRef, Types,
};

/// Visits the handles and domains of a call, in order.
pub trait Reads<T: Types> {
    /// A table that it reads or changes.
    fn table(&mut self, table: &TableRef<'_, T>);

    /// Tables that it reads.
    fn tables(&mut self, tables: &[TableRef<'_, T>]) {
        tables.iter().for_each(|table| self.table(table));
    }

    /// A tree that it reads.
    fn tree(&mut self, _tree: &T::Tree) {}

    /// A domain of its tables or of its result.
    fn domain(&mut self, _domain: &DomainOf<T>) {}

    /// The domain of a basis, if it has one.
    fn basis(&mut self, basis: &Basis<DomainOf<T>>) {
        basis.domain().into_iter().for_each(|domain| self.domain(domain));
    }
}

/// Receives the results and the memory of a call, in the order in which a device makes them, and builds stand-ins for
/// its results.
pub trait Makes<T: Types> {
    /// The types of its results.
    type Made: Types<P = T::P>;

    /// A new table.
    fn table(&mut self, width: usize, log_height: u32) -> Table<Self::Made>;

    /// A new tree.
    fn tree(&mut self, log_leaves: u32) -> <Self::Made as Types>::Tree;

    /// Memory that the call takes while it runs, beside arguments and results.
    fn beside(&mut self, what: &Footprint<'_, T>);

    /// How many zeros stand for `count` data on the host: all, or none where nobody looks at them.
    fn zeros(&self, count: usize) -> usize;
}

/// Converts handles of the types `T` to handles of the types `U`.
pub trait Handles<T: Types, U: Types<P = T::P>> {
    /// A table that is read.
    ///
    /// # Errors
    /// The table is of another backend.
    fn table<'h>(&'h self, table: TableRef<'h, T>) -> Result<TableRef<'h, U>>;

    /// Tables that are read.
    ///
    /// # Errors
    /// As [`Self::table`].
    fn tables<'h>(&'h self, tables: &'h [TableRef<'h, T>]) -> Result<Cow<'h, [TableRef<'h, U>]>> {
        tables.iter().map(|table| self.table(*table)).collect::<Result<Vec<_>>>().map(Cow::Owned)
    }

    /// A table that is changed.
    ///
    /// # Errors
    /// As [`Self::table`].
    fn table_mut<'h>(&'h self, table: Columns<&'h mut T::Buffer>) -> Result<Columns<&'h mut U::Buffer>>;

    /// A tree.
    ///
    /// # Errors
    /// The tree is of another backend.
    fn tree<'h>(&'h self, tree: &'h T::Tree) -> Result<&'h U::Tree>;

    /// A program.
    ///
    /// # Errors
    /// The program is of another backend.
    fn program<'h>(&'h self, program: &'h T::Program) -> Result<&'h U::Program>;
}

/// Handles as they are.
#[derive(Clone, Copy, Debug)]
pub struct Same;

impl<T: Types> Handles<T, T> for Same {
    fn table<'h>(&'h self, table: TableRef<'h, T>) -> Result<TableRef<'h, T>> {
        Ok(table)
    }

    fn tables<'h>(&'h self, tables: &'h [TableRef<'h, T>]) -> Result<Cow<'h, [TableRef<'h, T>]>> {
        Ok(Cow::Borrowed(tables))
    }

    fn table_mut<'h>(&'h self, table: Columns<&'h mut T::Buffer>) -> Result<Columns<&'h mut T::Buffer>> {
        Ok(table)
    }

    fn tree<'h>(&'h self, tree: &'h T::Tree) -> Result<&'h T::Tree> {
        Ok(tree)
    }

    fn program<'h>(&'h self, program: &'h T::Program) -> Result<&'h T::Program> {
        Ok(program)
    }
}

/// Types without anything, for code that only counts the results of a call.
#[derive(Debug)]
pub struct NoTypes<P>(PhantomData<fn() -> P>);

impl DeviceBuffer for () {
    fn len(&self) -> usize {
        0
    }
}

impl DeviceTree for () {
    fn log_leaves(&self) -> u32 {
        0
    }
}

impl<P: Protocol> Types for NoTypes<P> {
    type P = P;
    type Buffer = ();
    type Tree = ();
    type Program = ConstraintProgram<P>;
}

/// The size of a call's input, for its span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Base columns.
    pub columns: u64,
    /// Rows of the highest table.
    pub rows: u64,
    /// Base elements.
    pub elements: u64,
}

impl Size {
    /// The size of a table of `columns` columns and `rows` rows.
    pub fn of(columns: usize, rows: usize) -> Self {
        let (columns, rows) = (columns as u64, rows as u64);
        Self { columns, rows, elements: columns * rows }
    }

    /// The size of both together.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.add(other);
        self
    }

    fn add(&mut self, other: Self) {
        self.columns += other.columns;
        self.rows = self.rows.max(other.rows);
        self.elements += other.elements;
    }
}

impl<T: Types> Reads<T> for Size {
    fn table(&mut self, table: &TableRef<'_, T>) {
        self.add(Self::of(table.width, table.height()));
    }
}
