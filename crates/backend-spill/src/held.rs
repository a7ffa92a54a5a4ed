//! What the backend hands out.

use std::fmt;
use std::sync::Arc;

use gpu_hal::{Columns, DeviceBuffer, DeviceTree, Operations, Table, TableRef, Types};

use crate::Spilled;
use crate::room::Room;

type BufferOf<O> = <<O as Operations>::T as Types>::Buffer;
type TreeOf<O> = <<O as Operations>::T as Types>::Tree;

/// A table of a [`Spilled`].
pub struct SpilledBuffer<O: Operations>(pub(crate) Held<BufferOf<O>, O>, usize);

/// A tree of a [`Spilled`].
pub struct SpilledTree<O: Operations>(pub(crate) Held<TreeOf<O>, O>, u32);

/// Where something is.
pub(crate) enum Held<H, O: Operations> {
    /// On the device, for good.
    Here(H),
    /// On the device or in the host's memory, which the room knows.
    Moves(Arc<Handle<O>>),
}

/// Something of a [`Room`], released on drop. What has two handles alike is one thing that two parts of a device have.
pub(crate) struct Handle<O: Operations> {
    pub(crate) room: Arc<Room<O>>,
    pub(crate) number: u64,
}

impl<O: Operations> Drop for Handle<O> {
    fn drop(&mut self) {
        self.room.release(self.number);
    }
}

impl<O: Operations> SpilledBuffer<O> {
    /// A table that stays on the device.
    pub(crate) fn here(table: Table<O::T>) -> Table<Spilled<O>> {
        let len = table.data.len();
        table.map(|buffer| Self(Held::Here(buffer), len))
    }

    /// A table of a room.
    pub(crate) fn moves(handle: Arc<Handle<O>>, width: usize, log_height: u32) -> Table<Spilled<O>> {
        Columns::new(Self(Held::Moves(handle), width << log_height), width, log_height)
    }

    /// The same table once more, if it is one of a room.
    pub(crate) fn again(table: TableRef<'_, Spilled<O>>) -> Option<Table<Spilled<O>>> {
        match &table.data.0 {
            Held::Here(_) => None,
            Held::Moves(handle) => Some(Self::moves(handle.clone(), table.width, table.log_height)),
        }
    }

    /// Whether another table is the same thing.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(&self.0, Held::Moves(handle) if Arc::strong_count(handle) > 1)
    }
}

impl<O: Operations> SpilledTree<O> {
    pub(crate) fn new(held: Held<TreeOf<O>, O>, log_leaves: u32) -> Self {
        Self(held, log_leaves)
    }
}

impl<O: Operations> DeviceBuffer for SpilledBuffer<O> {
    fn len(&self) -> usize {
        self.1
    }
}

impl<O: Operations> DeviceTree for SpilledTree<O> {
    fn log_leaves(&self) -> u32 {
        self.1
    }
}

impl<O: Operations> fmt::Debug for SpilledBuffer<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpilledBuffer({} elements)", self.1)
    }
}

impl<O: Operations> fmt::Debug for SpilledTree<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpilledTree(2^{} leaves)", self.1)
    }
}
