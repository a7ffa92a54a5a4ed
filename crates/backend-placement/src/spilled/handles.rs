//! The handles of the backend.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gpu_hal::{Columns, DeviceBuffer, DeviceTree, Operations, Table, Types};

use super::memory::DeviceMemory;
use crate::Spilled;

type BufferOf<O> = <<O as Operations>::T as Types>::Buffer;

/// A table of a [`Spilled`]: on the device or in the host's memory, which the records of the device's memory know.
pub struct SpilledBuffer<O: Operations> {
    pub(crate) handle: Arc<Handle<O>>,
    /// The table itself while an operation changes it.
    pub(crate) lent: Option<BufferOf<O>>,
    len: usize,
}

/// A tree of a [`Spilled`].
pub struct SpilledTree<O: Operations> {
    pub(crate) handle: Arc<Handle<O>>,
    log_leaves: u32,
}

/// An entry of a [`DeviceMemory`], released on drop. Two parts of a device that have equal handles have the same entry.
pub(crate) struct Handle<O: Operations> {
    pub(crate) memory: Arc<DeviceMemory<O>>,
    pub(crate) number: u64,
    /// Copies on other devices, of which each needs one for all of its parts.
    copies: Mutex<Vec<Weak<Handle<O>>>>,
    /// Whether it was changed since it was made, so that it is no copy any more. Set and read under the memory's lock.
    is_changed: AtomicBool,
}

impl<O: Operations> Handle<O> {
    pub(crate) fn new(memory: Arc<DeviceMemory<O>>, number: u64) -> Arc<Self> {
        Arc::new(Self { memory, number, copies: Mutex::default(), is_changed: AtomicBool::new(false) })
    }

    fn copies(&self) -> MutexGuard<'_, Vec<Weak<Self>>> {
        // Every change is one call.
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy in a device's memory, which is locked, if there is one. Handles that must be dropped after the lock go
    /// to `dead`.
    pub(crate) fn copy_in(&self, memory: &Arc<DeviceMemory<O>>, dead: &mut Vec<Arc<Self>>) -> Option<Arc<Self>> {
        let live: Vec<Arc<Self>> = self.copies().iter().filter_map(Weak::upgrade).collect();
        let is_one = |copy: &&Arc<Self>| Arc::ptr_eq(&copy.memory, memory) && !copy.is_changed.load(Ordering::Relaxed);
        let found = live.iter().find(is_one).cloned();
        dead.extend(live);
        found
    }

    /// There is a copy.
    pub(crate) fn has_copy(&self, copy: &Arc<Self>) {
        let mut copies = self.copies();
        copies.retain(|copy| copy.strong_count() > 0);
        copies.push(Arc::downgrade(copy));
    }

    /// It is about to be changed, if nobody else has it; the memory is locked.
    fn claim(self: &Arc<Self>) -> bool {
        self.is_changed.store(true, Ordering::Relaxed);
        let is_alone = Arc::strong_count(self) == 1;
        if is_alone {
            self.copies().clear();
        }
        is_alone
    }
}

impl<O: Operations> Drop for Handle<O> {
    fn drop(&mut self) {
        self.memory.release(self.number);
    }
}

impl<O: Operations> SpilledBuffer<O> {
    /// A table of a device's memory.
    pub(crate) fn of(handle: Arc<Handle<O>>, width: usize, log_height: u32) -> Table<Spilled<O>> {
        Columns::new(Self { handle, lent: None, len: width << log_height }, width, log_height)
    }

    /// Whether it may be changed: nobody else has it, and earlier copies of it are no copies from here on.
    pub(crate) fn claim(&self) -> bool {
        let _alone = self.handle.memory.lock();
        self.handle.claim()
    }
}

impl<O: Operations> SpilledTree<O> {
    pub(crate) fn new(handle: Arc<Handle<O>>, log_leaves: u32) -> Self {
        Self { handle, log_leaves }
    }
}

impl<O: Operations> DeviceBuffer for SpilledBuffer<O> {
    fn len(&self) -> usize {
        self.len
    }
}

impl<O: Operations> DeviceTree for SpilledTree<O> {
    fn log_leaves(&self) -> u32 {
        self.log_leaves
    }
}

impl<O: Operations> fmt::Debug for SpilledBuffer<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpilledBuffer({} elements)", self.len)
    }
}

impl<O: Operations> fmt::Debug for SpilledTree<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpilledTree(2^{} leaves)", self.log_leaves)
    }
}
