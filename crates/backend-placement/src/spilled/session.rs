//! One operation, from the moment that its arguments are on the device until its results have a place.

use std::sync::{Arc, MutexGuard};

use gpu_hal::op::Op;
use gpu_hal::{
    Columns, DeviceTree, Domain, ErrorKind, Footprint, HalError, Operation, Operations, Result, Shape, Stored, Table,
    TableRef, Types,
};

use super::held::{Handle, Held};
use super::room::{Room, State, Takes};
use crate::{Spilled, SpilledBuffer, SpilledTree};

type BufferOf<O> = <<O as Operations>::T as Types>::Buffer;
type TreeOf<O> = <<O as Operations>::T as Types>::Tree;

/// Adds up the memory of an operation.
pub(crate) struct Needs<'a, O: Operations> {
    room: &'a Arc<Room<O>>,
    takes: Takes,
}

impl<O: Operations> Needs<'_, O> {
    /// All that a call takes.
    pub(crate) fn call<P: Op>(&mut self, args: &P::Args<'_, Spilled<O>>) {
        P::reads(args, self);
        P::makes(args, self);
    }

    /// It reads or changes something.
    pub(crate) fn uses<H>(&mut self, held: &Held<H, O>) {
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

    /// It makes this.
    pub(crate) fn makes(&mut self, what: &Footprint<'_, O::T>) {
        self.takes.makes += self.room.inner.footprint(what);
    }

    /// It takes this while it runs; of several of these one after the other.
    pub(crate) fn meanwhile(&mut self, what: &Footprint<'_, O::T>) {
        self.takes.meanwhile = self.takes.meanwhile.max(self.room.inner.footprint(what));
    }

    /// It has to do with a domain.
    pub(crate) fn reaches<D: Domain>(&mut self, domain: &D) {
        self.takes.log_domain = self.takes.log_domain.max(domain.log_whole());
    }
}

/// An operation that may run.
pub(crate) enum Session<'a, O: Operations> {
    /// On tables that are on the device for good.
    Through,
    /// Nothing else runs meanwhile.
    Alone(&'a Arc<Room<O>>, MutexGuard<'a, State<O::T>>),
}

impl<O: Operations> Spilled<O> {
    pub(crate) fn takes(room: &Arc<Room<O>>, needs: impl FnOnce(&mut Needs<'_, O>)) -> Takes {
        let mut all = Needs { room, takes: Takes::default() };
        needs(&mut all);
        all.takes
    }

    /// Waits until an operation may run, with room for it and its arguments there. `needs` is asked only where tables
    /// move.
    pub(crate) fn begin(&self, operation: Operation, needs: impl FnOnce(&mut Needs<'_, O>)) -> Result<Session<'_, O>> {
        let Some(room) = &self.room else { return Ok(Session::Through) };
        let takes = Self::takes(room, needs);
        let mut state = room.lock();
        room.prepare(&mut state, operation, &takes)?;
        Ok(Session::Alone(room, state))
    }
}

impl<O: Operations> Session<'_, O> {
    /// A table that the operation reads.
    pub(crate) fn table<'t>(&'t self, table: TableRef<'t, Spilled<O>>) -> Result<TableRef<'t, O::T>> {
        let data = match (&table.data.0, self) {
            (Held::Here(buffer) | Held::Lent(buffer, _), _) => buffer,
            (Held::Moves(handle), Self::Alone(_, state)) => state.table(handle.number)?,
            (Held::Moves(_), Self::Through) => return Err(foreign()),
        };
        Ok(Columns::new(data, table.width, table.log_height))
    }

    /// A tree that it reads.
    pub(crate) fn tree<'t>(&'t self, tree: &'t SpilledTree<O>) -> Result<&'t TreeOf<O>> {
        match (&tree.0, self) {
            (Held::Here(tree) | Held::Lent(tree, _), _) => Ok(tree),
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
            (Held::Here(buffer) | Held::Lent(buffer, _), _) => Stored::Here(buffer),
            (Held::Moves(handle), Self::Alone(_, state)) => state.stored_table(handle.number)?,
            (Held::Moves(_), Self::Through) => return Err(foreign()),
        };
        Ok(Columns::new(data, table.width, table.log_height))
    }

    /// A tree that it reads where it is.
    pub(crate) fn stored_tree<'t>(&'t self, tree: &'t SpilledTree<O>) -> Result<Stored<'t, TreeOf<O>>> {
        match (&tree.0, self) {
            (Held::Here(tree) | Held::Lent(tree, _), _) => Ok(Stored::Here(tree)),
            (Held::Moves(handle), Self::Alone(_, state)) => state.stored_tree(handle.number),
            (Held::Moves(_), Self::Through) => Err(foreign()),
        }
    }

    /// Lends a table that the operation changes to its handle, until [`Self::give_back`].
    pub(crate) fn lend(&mut self, table: &mut SpilledBuffer<O>) -> Result<()> {
        match (&table.0, self) {
            (Held::Moves(handle), Self::Alone(_, state)) => {
                table.0 = Held::Lent(state.lend(handle.number)?, handle.clone());
                Ok(())
            }
            (Held::Moves(_), Self::Through) => Err(foreign()),
            (Held::Here(_) | Held::Lent(..), _) => Ok(()),
        }
    }

    /// A table that was lent is where it was.
    pub(crate) fn give_back(&mut self, table: &mut SpilledBuffer<O>) {
        if let (Held::Lent(_, handle), Self::Alone(_, state)) = (&table.0, self) {
            let handle = handle.clone();
            if let Held::Lent(buffer, handle) = std::mem::replace(&mut table.0, Held::Moves(handle)) {
                state.take_back(handle.number, buffer);
            }
        }
    }

    /// A new table. The result is not dropped before the session.
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

pub(crate) fn foreign() -> HalError {
    HalError::new(ErrorKind::Backend, "spill", "an argument is of another device")
}
