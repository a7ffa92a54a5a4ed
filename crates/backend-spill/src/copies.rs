//! Copies from one device to another, wherever a table is.

use std::sync::{Arc, MutexGuard};

use gpu_hal::{Columns, ErrorKind, HalError, Operation, Operations, Result, Shape, Table, TableRef};

use crate::held::{Handle, Held};
use crate::room::{Room, State};
use crate::{Spilled, SpilledBuffer};

/// Both rooms, locked in the same order by all.
fn lock_both<'a, O: Operations>(one: &'a Arc<Room<O>>, other: &'a Arc<Room<O>>) -> [MutexGuard<'a, State<O::T>>; 2] {
    if Arc::as_ptr(one) < Arc::as_ptr(other) {
        let one = one.lock();
        [one, other.lock()]
    } else {
        let other = other.lock();
        [one.lock(), other]
    }
}

impl<O: Operations> Spilled<O> {
    /// [`Operations::copy_to`]. Parts of one device have the same thing; a device that has a copy already needs no other. What is in the host's
    /// memory goes from there to the peer.
    pub(crate) fn copy_between(
        &self,
        (room, table): (&Arc<Room<O>>, TableRef<'_, Self>),
        (other, peer): (&Arc<Room<O>>, &Self),
    ) -> Result<Table<Self>> {
        let handle = match &table.data.0 {
            Held::Moves(handle) if Arc::ptr_eq(&handle.room, room) => handle,
            _ => return Err(HalError::invalid("copy_to", "the table is of another device")),
        };
        let (width, log_height) = (table.width, table.log_height);
        if Arc::ptr_eq(room, other) {
            return Ok(SpilledBuffer::moves(handle.clone(), width, log_height));
        }
        // Dropped when the rooms are open again, since a drop locks one.
        let mut dead: Vec<Arc<Handle<O>>> = Vec::new();
        let [mut here, mut there] = lock_both(room, other);
        if let Some(copy) = handle.copy_in(other, &mut dead) {
            return Ok(SpilledBuffer::moves(copy, width, log_height));
        }
        let shape = Shape::new((), width, log_height);
        let makes = Self::takes(other, |needs| needs.makes_table(width, log_height));
        let made = if here.is_away(handle.number) {
            other.prepare(&mut there, Operation::CopyTo, &makes)?;
            let made = here.restored(handle.number, &*peer.inner, shape)?;
            there.tally.moved(makes.makes);
            made
        } else {
            let uses = Self::takes(room, |needs| needs.table(&table));
            room.prepare(&mut here, Operation::CopyTo, &uses)?;
            other.prepare(&mut there, Operation::CopyTo, &makes)?;
            let table = Columns::new(here.table(handle.number)?, width, log_height);
            self.inner.copy_to(table, &peer.inner)?
        };
        if (made.width, made.log_height) != (width, log_height) {
            return Err(HalError::new(ErrorKind::Backend, "copy_to", "a copy of another shape"));
        }
        let copy = Handle::new(other.clone(), there.add_table(made, makes.makes));
        handle.has_copy(&copy);
        Ok(SpilledBuffer::moves(copy, width, log_height))
    }
}
