//! One operation, from the moment that its arguments are on the device until its results have a place.

use std::sync::{Arc, MutexGuard};

use gpu_hal::op::Op;
use gpu_hal::stash::Stored;
use gpu_hal::{Columns, DeviceTree, Domain, Footprint, Operation, Operations, Result, Shape, Table, TableRef, Types};

use super::handles::Handle;
use super::memory::{DeviceMemory, MemoryNeeds, State};
use crate::{Spilled, SpilledBuffer, SpilledTree};

type BufferOf<O> = <<O as Operations>::T as Types>::Buffer;
type TreeOf<O> = <<O as Operations>::T as Types>::Tree;

/// Adds up the memory of an operation.
pub(crate) struct Needs<'a, O: Operations> {
    memory: &'a Arc<DeviceMemory<O>>,
    takes: MemoryNeeds,
}

impl<O: Operations> Needs<'_, O> {
    /// All that a call takes.
    pub(crate) fn call<P: Op>(&mut self, args: &P::Args<'_, Spilled<O>>) {
        P::reads(args, self);
        P::makes(args, self);
    }

    /// It reads or changes something.
    pub(crate) fn uses(&mut self, handle: &Handle<O>) {
        self.knows(handle);
        self.takes.uses.insert(handle.number);
    }

    /// It reads something where it is.
    pub(crate) fn knows(&mut self, handle: &Handle<O>) {
        self.takes.has_foreign |= !Arc::ptr_eq(&handle.memory, self.memory);
    }

    /// It makes this.
    pub(crate) fn makes(&mut self, what: &Footprint<'_, O::T>) {
        self.takes.makes += self.memory.inner.footprint(what);
    }

    /// It takes this while it runs; of several of these one after the other.
    pub(crate) fn meanwhile(&mut self, what: &Footprint<'_, O::T>) {
        self.takes.meanwhile = self.takes.meanwhile.max(self.memory.inner.footprint(what));
    }

    /// It has to do with a domain.
    pub(crate) fn reaches<D: Domain>(&mut self, domain: &D) {
        self.takes.log_domain = self.takes.log_domain.max(domain.log_whole());
    }
}

/// An operation that may run. Nothing else runs on the device meanwhile.
pub(crate) struct Session<'a, O: Operations> {
    memory: &'a Arc<DeviceMemory<O>>,
    state: MutexGuard<'a, State<O::T>>,
}

impl<O: Operations> Spilled<O> {
    pub(crate) fn takes(memory: &Arc<DeviceMemory<O>>, needs: impl FnOnce(&mut Needs<'_, O>)) -> MemoryNeeds {
        let mut all = Needs { memory, takes: MemoryNeeds::default() };
        needs(&mut all);
        all.takes
    }

    /// Waits until an operation may run, with room for it and its arguments there.
    pub(crate) fn begin(&self, operation: Operation, needs: impl FnOnce(&mut Needs<'_, O>)) -> Result<Session<'_, O>> {
        let memory = &self.memory;
        let takes = Self::takes(memory, needs);
        let mut state = memory.lock();
        memory.prepare(&mut state, operation, &takes)?;
        Ok(Session { memory, state })
    }
}

impl<O: Operations> Session<'_, O> {
    /// A table that the operation reads.
    pub(crate) fn table<'t>(&'t self, table: TableRef<'t, Spilled<O>>) -> Result<TableRef<'t, O::T>> {
        Ok(Columns::new(self.state.table(table.data.handle.number)?, table.width, table.log_height))
    }

    /// A tree that it reads.
    pub(crate) fn tree<'t>(&'t self, tree: &'t SpilledTree<O>) -> Result<&'t TreeOf<O>> {
        self.state.tree(tree.handle.number)
    }

    /// A table that it reads where it is.
    pub(crate) fn stored_table<'t>(
        &'t self,
        table: TableRef<'t, Spilled<O>>,
    ) -> Result<Columns<Stored<'t, BufferOf<O>>>> {
        Ok(Columns::new(self.state.stored_table(table.data.handle.number)?, table.width, table.log_height))
    }

    /// A tree that it reads where it is.
    pub(crate) fn stored_tree<'t>(&'t self, tree: &'t SpilledTree<O>) -> Result<Stored<'t, TreeOf<O>>> {
        self.state.stored_tree(tree.handle.number)
    }

    /// Lends a table that the operation changes to its handle, until [`Self::give_back`].
    pub(crate) fn lend(&mut self, table: &mut SpilledBuffer<O>) -> Result<()> {
        table.lent = Some(self.state.lend(table.handle.number)?);
        Ok(())
    }

    /// A table that was lent is where it was.
    pub(crate) fn give_back(&mut self, table: &mut SpilledBuffer<O>) {
        if let Some(buffer) = table.lent.take() {
            self.state.take_back(table.handle.number, buffer);
        }
    }

    /// A new table. The result is not dropped before the session.
    pub(crate) fn made(&mut self, table: Table<O::T>) -> Table<Spilled<O>> {
        let (width, log_height) = (table.width, table.log_height);
        let bytes = self.memory.inner.footprint(&Footprint::Table(Shape::new((), width, log_height)));
        let number = self.state.add_table(table, bytes);
        SpilledBuffer::of(Handle::new(self.memory.clone(), number), width, log_height)
    }

    /// A new tree. As [`Self::made`].
    pub(crate) fn made_tree(&mut self, tree: TreeOf<O>) -> SpilledTree<O> {
        let log_leaves = tree.log_leaves();
        let bytes = self.memory.inner.footprint(&Footprint::Tree { log_leaves });
        let number = self.state.add_tree(tree, bytes);
        SpilledTree::new(Handle::new(self.memory.clone(), number), log_leaves)
    }
}
