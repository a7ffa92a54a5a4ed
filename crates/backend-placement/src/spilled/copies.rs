//! Copies from one device to another, wherever a table is.

use std::sync::{Arc, MutexGuard};

use gpu_hal::{
    Basis, Columns, DomainOf, ErrorKind, Footprint, HalError, Operation, Operations, Placement, PlacementOperations,
    Result, Shape, Table, TableRef,
};

use super::held::{Handle, Held};
use super::room::{Room, State};
use super::session::Session;
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
    /// [`PlacementOperations::copy_to`]. Parts of one device have the same thing; a device that has a copy already
    /// needs no other. A table in the host's memory goes from there to the peer.
    pub(crate) fn copy_between(
        &self,
        (room, table): (&Arc<Room<O>>, TableRef<'_, Self>),
        (other, peer): (&Arc<Room<O>>, &Self),
    ) -> Result<Table<Self>> {
        let handle = match &table.data.0 {
            Held::Moves(handle) if Arc::ptr_eq(&handle.room, room) => handle,
            _ => return Err(HalError::invalid(Operation::CopyTo, "the table is of another device")),
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
        let makes = Self::takes(other, |needs| needs.makes(&Footprint::Table(shape)));
        let made = if here.is_away(handle.number) {
            other.prepare(&mut there, Operation::CopyTo, &makes)?;
            let made = here.restored(handle.number, &*peer.inner, shape)?;
            there.tally.moved(makes.makes);
            made
        } else {
            let uses = Self::takes(room, |needs| needs.uses(&table.data.0));
            room.prepare(&mut here, Operation::CopyTo, &uses)?;
            other.prepare(&mut there, Operation::CopyTo, &makes)?;
            let table = Columns::new(here.table(handle.number)?, width, log_height);
            self.inner.copy_to(table, &peer.inner)?
        };
        if (made.width, made.log_height) != (width, log_height) {
            return Err(HalError::new(ErrorKind::Backend, Operation::CopyTo, "a copy of another shape"));
        }
        let copy = Handle::new(other.clone(), there.add_table(made, makes.makes));
        handle.has_copy(&copy);
        Ok(SpilledBuffer::moves(copy, width, log_height))
    }
}

impl<O: Operations> PlacementOperations<Self> for Spilled<O> {
    fn placement(&self) -> Placement {
        // Nobody moves tables of this backend: it does so itself.
        let none = Placement::default();
        if self.room.is_some() { none } else { Placement { shares_lde: self.inner.placement().shares_lde, ..none } }
    }

    fn copy_to(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        match (&self.room, &peer.room) {
            (None, None) => {
                let copy = self.inner.copy_to(Session::Through.table(table)?, &peer.inner)?;
                Ok(SpilledBuffer::here(copy))
            }
            (Some(room), Some(other)) => self.copy_between((room, table), (other, peer)),
            _ => peer.upload(&self.download(table, 0..table.height())?, table.width, table.log_height),
        }
    }

    fn lde_shared(
        &self,
        others: &[&Self],
        tables: &[TableRef<'_, Self>],
        from: Basis<DomainOf<Self>>,
        to: &[DomainOf<Self>],
    ) -> Result<Vec<Table<Self>>, (usize, HalError)> {
        let through = Session::Through;
        let inner: Vec<&O> = others.iter().map(|other| &*other.inner).collect();
        let tables = tables.iter().enumerate();
        let tables = tables.map(|(device, table)| through.table(*table).map_err(|error| (device, error)));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let made = self.inner.lde_shared(&inner, &tables, from, to)?;
        Ok(made.into_iter().map(SpilledBuffer::here).collect())
    }
}
