//! Copies from one device to another, wherever a table is.

use std::sync::{Arc, MutexGuard};

use gpu_hal::{
    Columns, ErrorKind, Footprint, HalError, Operation, Operations, PlacementOperations, Result, Shape, Table, TableRef,
};

use super::handles::Handle;
use super::memory::{DeviceMemory, State};
use crate::{Spilled, SpilledBuffer};

/// The memories of two devices, locked in the same order by all.
fn lock_both<'a, O: Operations>(
    one: &'a Arc<DeviceMemory<O>>,
    other: &'a Arc<DeviceMemory<O>>,
) -> [MutexGuard<'a, State<O::T>>; 2] {
    if Arc::as_ptr(one) < Arc::as_ptr(other) {
        let one = one.lock();
        [one, other.lock()]
    } else {
        let other = other.lock();
        [one.lock(), other]
    }
}

impl<O: Operations> Spilled<O> {
    /// [`PlacementOperations::copy_to`]. Parts of one device have the same entry; a device that has a copy already
    /// needs no other. A table in the host's memory goes from there to the peer.
    fn copy_between(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        let (memory, other, handle) = (&self.memory, &peer.memory, &table.data.handle);
        if !Arc::ptr_eq(&handle.memory, memory) {
            return Err(HalError::invalid(Operation::CopyTo, "the table is of another device"));
        }
        let (width, log_height) = (table.width, table.log_height);
        if Arc::ptr_eq(memory, other) {
            return Ok(SpilledBuffer::of(handle.clone(), width, log_height));
        }
        // Dropped when the memories are unlocked, since a drop locks one.
        let mut dead: Vec<Arc<Handle<O>>> = Vec::new();
        let [mut here, mut there] = lock_both(memory, other);
        if let Some(copy) = handle.copy_in(other, &mut dead) {
            return Ok(SpilledBuffer::of(copy, width, log_height));
        }
        let shape = Shape::new((), width, log_height);
        let makes = Self::takes(other, |needs| needs.makes(&Footprint::Table(shape)));
        let made = if here.is_away(handle.number) {
            other.prepare(&mut there, Operation::CopyTo, &makes)?;
            let made = here.restored(handle.number, peer.inner(), shape)?;
            there.bytes.moved(makes.makes);
            made
        } else {
            let uses = Self::takes(memory, |needs| needs.uses(handle));
            memory.prepare(&mut here, Operation::CopyTo, &uses)?;
            other.prepare(&mut there, Operation::CopyTo, &makes)?;
            let table = Columns::new(here.table(handle.number)?, width, log_height);
            self.inner().copy_to(table, peer.inner())?
        };
        if (made.width, made.log_height) != (width, log_height) {
            return Err(HalError::new(ErrorKind::Backend, Operation::CopyTo, "a copy of another shape"));
        }
        let copy = Handle::new(other.clone(), there.add_table(made, makes.makes));
        handle.has_copy(&copy);
        Ok(SpilledBuffer::of(copy, width, log_height))
    }
}

/// Nobody moves tables of this backend to the host: it does so itself.
impl<O: Operations> PlacementOperations<Self> for Spilled<O> {
    fn copy_to(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        self.copy_between(table, peer)
    }
}
