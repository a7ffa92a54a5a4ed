//! One operation, from the moment that its arguments are on the device until its results have a place.

use std::sync::{Arc, MutexGuard};

use gpu_hal::{
    Columns, DeviceTree, Domain, ErrorKind, Footprint, HalError, Operation, Operations, Result, Shape, Stored, Table,
    TableRef, Types,
};

use crate::held::{Handle, Held};
use crate::room::{Room, State, Takes};
use crate::{Spilled, SpilledBuffer, SpilledTree};

type BufferOf<O> = <<O as Operations>::T as Types>::Buffer;
type TreeOf<O> = <<O as Operations>::T as Types>::Tree;

/// Adds up what an operation takes.
pub(crate) struct Needs<'a, O: Operations> {
    room: &'a Arc<Room<O>>,
    takes: Takes,
}

impl<O: Operations> Needs<'_, O> {
    fn uses<H>(&mut self, held: &Held<H, O>) {
        match held {
            Held::Moves(handle) if Arc::ptr_eq(&handle.room, self.room) => {
                self.takes.uses.insert(handle.number);
            }
            _ => self.takes.has_foreign = true,
        }
    }

    /// It reads something where it is.
    pub(crate) fn knows<H>(&mut self, held: &Held<H, O>) {
        let is_ours = matches!(held, Held::Moves(handle) if Arc::ptr_eq(&handle.room, self.room));
        self.takes.has_foreign |= !is_ours;
    }

    /// It reads or changes a table.
    pub(crate) fn table(&mut self, table: &TableRef<'_, Spilled<O>>) {
        self.uses(&table.data.0);
    }

    /// It reads tables.
    pub(crate) fn tables(&mut self, tables: &[TableRef<'_, Spilled<O>>]) {
        tables.iter().for_each(|table| self.table(table));
    }

    /// It reads a tree.
    pub(crate) fn tree(&mut self, tree: &SpilledTree<O>) {
        self.uses(&tree.0);
    }

    /// It makes this.
    pub(crate) fn makes(&mut self, what: &Footprint<'_, O::T>) {
        self.takes.makes += self.room.inner.footprint(what);
    }

    /// It makes a table.
    pub(crate) fn makes_table(&mut self, width: usize, log_height: u32) {
        self.makes(&Footprint::Table(Shape::new((), width, log_height)));
    }

    /// It takes this while it runs; of several of these one after the other.
    pub(crate) fn meanwhile(&mut self, what: &Footprint<'_, O::T>) {
        self.takes.meanwhile = self.takes.meanwhile.max(self.room.inner.footprint(what));
    }

    /// It has to do with a domain.
    pub(crate) fn domain<D: Domain>(&mut self, domain: &D) {
        self.takes.log_domain = self.takes.log_domain.max(domain.log_whole());
    }
}

/// An operation that may run.
pub(crate) enum Session<'a, O: Operations> {
    /// On what is on the device for good.
    Through,
    /// Nothing else runs meanwhile.
    Alone(&'a Arc<Room<O>>, MutexGuard<'a, State<O::T>>),
}

/// A table that an operation changes.
pub(crate) enum Changed<'a, B> {
    Here(&'a mut B),
    Lent(B, u64),
}

impl<B> Changed<'_, B> {
    pub(crate) fn buffer(&mut self) -> &mut B {
        match self {
            Self::Here(buffer) => buffer,
            Self::Lent(buffer, _) => buffer,
        }
    }
}

impl<O: Operations> Spilled<O> {
    pub(crate) fn takes(room: &Arc<Room<O>>, needs: impl FnOnce(&mut Needs<'_, O>)) -> Takes {
        let mut all = Needs { room, takes: Takes::default() };
        needs(&mut all);
        all.takes
    }

    /// Waits until an operation may run, with room for it and its arguments there. `needs` is asked only where tables move.
    pub(crate) fn begin(&self, operation: Operation, needs: impl FnOnce(&mut Needs<'_, O>)) -> Result<Session<'_, O>> {
        let Some(room) = &self.room else { return Ok(Session::Through) };
        let takes = Self::takes(room, needs);
        let mut state = room.lock();
        room.prepare(&mut state, operation, &takes)?;
        Ok(Session::Alone(room, state))
    }

    /// Does all requests at once, or one after the other where all at once take more than the device has. A request's result does not
    /// depend on the others.
    pub(crate) fn each<Q, R>(
        &self,
        requests: &[Q],
        needs: impl Fn(&mut Needs<'_, O>, &[Q]),
        run: impl Fn(&[Q]) -> Result<Vec<R>>,
    ) -> Result<Vec<R>> {
        match &self.room {
            Some(room) if requests.len() > 1 && !room.fits(&Self::takes(room, |all| needs(all, requests))) => {
                let mut results = Vec::with_capacity(requests.len());
                for request in requests.chunks(1) {
                    results.extend(run(request)?);
                }
                Ok(results)
            }
            _ => run(requests),
        }
    }
}

impl<O: Operations> Session<'_, O> {
    /// A table that the operation reads.
    pub(crate) fn table<'t>(&'t self, table: TableRef<'t, Spilled<O>>) -> Result<TableRef<'t, O::T>> {
        let data = match (&table.data.0, self) {
            (Held::Here(buffer), _) => buffer,
            (Held::Moves(handle), Self::Alone(_, state)) => state.table(handle.number)?,
            (Held::Moves(_), Self::Through) => return Err(foreign()),
        };
        Ok(Columns::new(data, table.width, table.log_height))
    }

    /// Tables that it reads.
    pub(crate) fn tables<'t>(&'t self, tables: &[TableRef<'t, Spilled<O>>]) -> Result<Vec<TableRef<'t, O::T>>> {
        tables.iter().map(|table| self.table(*table)).collect()
    }

    /// A tree that it reads.
    pub(crate) fn tree<'t>(&'t self, tree: &'t SpilledTree<O>) -> Result<&'t TreeOf<O>> {
        match (&tree.0, self) {
            (Held::Here(tree), _) => Ok(tree),
            (Held::Moves(handle), Self::Alone(_, state)) => state.tree(handle.number),
            (Held::Moves(_), Self::Through) => Err(foreign()),
        }
    }

    /// A table that it reads where it is.
    pub(crate) fn stored_table<'t>(
        &'t self,
        table: TableRef<'t, Spilled<O>>,
    ) -> Result<Columns<Stored<'t, BufferOf<O>>>> {
        let data = match (&table.data.0, self) {
            (Held::Here(buffer), _) => Stored::Here(buffer),
            (Held::Moves(handle), Self::Alone(_, state)) => state.stored_table(handle.number)?,
            (Held::Moves(_), Self::Through) => return Err(foreign()),
        };
        Ok(Columns::new(data, table.width, table.log_height))
    }

    /// A tree that it reads where it is.
    pub(crate) fn stored_tree<'t>(&'t self, tree: &'t SpilledTree<O>) -> Result<Stored<'t, TreeOf<O>>> {
        match (&tree.0, self) {
            (Held::Here(tree), _) => Ok(Stored::Here(tree)),
            (Held::Moves(handle), Self::Alone(_, state)) => state.stored_tree(handle.number),
            (Held::Moves(_), Self::Through) => Err(foreign()),
        }
    }

    /// A table that it changes, to be given to [`Self::give_back`], whatever happens.
    pub(crate) fn lend<'t>(&mut self, table: &'t mut SpilledBuffer<O>) -> Result<Changed<'t, BufferOf<O>>> {
        match (&mut table.0, self) {
            (Held::Here(buffer), _) => Ok(Changed::Here(buffer)),
            (Held::Moves(handle), Self::Alone(_, state)) => {
                Ok(Changed::Lent(state.lend(handle.number)?, handle.number))
            }
            (Held::Moves(_), Self::Through) => Err(foreign()),
        }
    }

    /// What was changed is where it was.
    pub(crate) fn give_back(&mut self, changed: Changed<'_, BufferOf<O>>) {
        if let (Changed::Lent(buffer, number), Self::Alone(_, state)) = (changed, self) {
            state.take_back(number, buffer);
        }
    }

    /// A new table. What comes of it is not dropped before the session.
    pub(crate) fn made(&mut self, table: Table<O::T>) -> Table<Spilled<O>> {
        let Self::Alone(room, state) = self else { return SpilledBuffer::here(table) };
        let (width, log_height) = (table.width, table.log_height);
        let bytes = room.inner.footprint(&Footprint::Table(Shape::new((), width, log_height)));
        let number = state.add_table(table, bytes);
        SpilledBuffer::moves(Handle::new(room.clone(), number), width, log_height)
    }

    /// A new tree. As [`Self::made`].
    pub(crate) fn made_tree(&mut self, tree: TreeOf<O>) -> SpilledTree<O> {
        let log_leaves = tree.log_leaves();
        let held = match self {
            Self::Through => Held::Here(tree),
            Self::Alone(room, state) => {
                let bytes = room.inner.footprint(&Footprint::Tree { log_leaves });
                let number = state.add_tree(tree, bytes);
                Held::Moves(Handle::new(room.clone(), number))
            }
        };
        SpilledTree::new(held, log_leaves)
    }
}

fn foreign() -> HalError {
    HalError::new(ErrorKind::Backend, "spill", "an argument is of another device")
}
