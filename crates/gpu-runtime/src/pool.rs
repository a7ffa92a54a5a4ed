//! Device memory by size, kept when released: allocations of a proof find the memory of the last one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use gpu_hal::{Bytes, ErrorKind, HalError, Result};

/// Released allocations and the count of live ones.
pub(crate) struct Pool<M> {
    state: Mutex<State<M>>,
    limit: Option<u64>,
    granularity: u64,
}

struct State<M> {
    free: BTreeMap<u64, Vec<M>>,
    free_bytes: u64,
    in_use: u64,
    peak: u64,
}

/// A live allocation; goes back to the pool on drop. The queue is in order, so its next use runs after the calls that
/// used it last.
pub struct Block<M> {
    /// `None` only while it is dropped.
    memory: Option<M>,
    bytes: u64,
    pool: Arc<Pool<M>>,
}

impl<M> Block<M> {
    /// The memory.
    pub(crate) fn memory(&self) -> &M {
        self.memory.as_ref().expect("memory is taken only on drop")
    }
}

impl<M> Drop for Block<M> {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            let mut state = self.pool.lock();
            state.in_use -= self.bytes;
            state.free_bytes += self.bytes;
            state.free.entry(self.bytes).or_default().push(memory);
        }
    }
}

impl<M> Pool<M> {
    /// A pool that holds at most `limit` bytes, live and released.
    pub(crate) fn new(granularity: u64, limit: Option<u64>) -> Arc<Self> {
        let state = State { free: BTreeMap::new(), free_bytes: 0, in_use: 0, peak: 0 };
        Arc::new(Self { state: Mutex::new(state), limit, granularity })
    }

    fn lock(&self) -> MutexGuard<'_, State<M>> {
        // A panic elsewhere cannot leave the counts half changed.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// (live, highest live, released) bytes.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        let state = self.lock();
        (state.in_use, state.peak, state.free_bytes)
    }

    /// Bytes of the allocation for `words` words.
    pub(crate) fn block_bytes(&self, words: u64) -> u64 {
        words.max(1).saturating_mul(8).checked_next_multiple_of(self.granularity).unwrap_or(u64::MAX)
    }

    /// The limit on live and released bytes.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Gives all released allocations back to the device.
    pub(crate) fn trim(&self) {
        let mut state = self.lock();
        state.free.clear();
        state.free_bytes = 0;
    }

    /// At least `bytes` bytes: a released allocation, or a new one from `alloc`. When that has no memory, all released
    /// ones are given back and it is asked once more.
    pub(crate) fn take(self: &Arc<Self>, bytes: u64, alloc: impl Fn(u64) -> Result<M>) -> Result<Block<M>> {
        let out_of_memory = |detail: String| HalError::new(ErrorKind::OutOfMemory, "alloc", detail);
        let bytes = bytes
            .max(1)
            .checked_next_multiple_of(self.granularity)
            .ok_or_else(|| out_of_memory(format!("{bytes} bytes exceed any memory")))?;
        let mut state = self.lock();
        let limit = self.limit.unwrap_or(u64::MAX);
        if state.in_use.checked_add(bytes).is_none_or(|sum| sum > limit) {
            return Err(out_of_memory(format!(
                "{} wanted, {} of {} in use: raise the limit or use a smaller statement",
                Bytes(bytes),
                Bytes(state.in_use),
                Bytes(limit)
            )));
        }
        // Only one of this very size: a plan counts the requested size.
        if let Some(list) = state.free.get_mut(&bytes) {
            let memory = list.pop().expect("lists without an allocation are removed");
            if list.is_empty() {
                state.free.remove(&bytes);
            }
            state.free_bytes -= bytes;
            return Ok(self.live(&mut state, memory, bytes));
        }
        if state.in_use + state.free_bytes + bytes > limit {
            state.free.clear();
            state.free_bytes = 0;
        }
        let memory = match alloc(bytes) {
            Err(error) if error.kind == ErrorKind::OutOfMemory && state.free_bytes > 0 => {
                state.free.clear();
                state.free_bytes = 0;
                alloc(bytes)?
            }
            result => result?,
        };
        Ok(self.live(&mut state, memory, bytes))
    }

    fn live(self: &Arc<Self>, state: &mut State<M>, memory: M, bytes: u64) -> Block<M> {
        state.in_use += bytes;
        state.peak = state.peak.max(state.in_use);
        Block { memory: Some(memory), bytes, pool: Arc::clone(self) }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn released_memory_is_found_again_and_counted() {
        let pool = Pool::new(256, None);
        let made = Cell::new(0);
        let alloc = |bytes: u64| {
            made.set(made.get() + 1);
            Ok(bytes)
        };
        let first = pool.take(1000, alloc).expect("memory");
        assert_eq!((*first.memory(), pool.counts()), (1024, (1024, 1024, 0)));
        drop(first);
        assert_eq!(pool.counts(), (0, 1024, 1024));
        // The same size after rounding: reused. Less: not.
        let again = pool.take(920, alloc).expect("memory");
        assert_eq!((*again.memory(), made.get()), (1024, 1));
        drop(again);
        let small = pool.take(760, alloc).expect("memory");
        assert_eq!((*small.memory(), made.get(), pool.counts()), (768, 2, (768, 1024, 1024)));
    }

    #[test]
    fn a_device_without_memory_gets_the_released_first() {
        let pool = Pool::new(8, None);
        let room = Cell::new(2);
        let alloc = |bytes: u64| match room.get() {
            0 => Err(HalError::new(ErrorKind::OutOfMemory, "alloc", "full")),
            left => {
                room.set(left - 1);
                Ok(bytes)
            }
        };
        drop((pool.take(8, alloc).expect("memory"), pool.take(16, alloc).expect("memory")));
        assert_eq!(pool.counts(), (0, 24, 24));
        // The device is full; the pool's memory goes, but this device does not get it back.
        let error = pool.take(24, alloc).err().expect("no memory");
        assert_eq!((error.kind, pool.counts()), (ErrorKind::OutOfMemory, (0, 24, 0)));
        room.set(1);
        assert_eq!(*pool.take(24, alloc).expect("memory again").memory(), 24);
    }

    #[test]
    fn a_limit_counts_live_memory_and_evicts_released() {
        let pool = Pool::new(8, Some(100));
        let held = pool.take(64, Ok).expect("memory");
        assert_eq!(pool.take(40, Ok).err().expect("above the limit").kind, ErrorKind::OutOfMemory);
        drop(held);
        let other = pool.take(48, Ok).expect("memory");
        assert_eq!(pool.counts(), (48, 64, 0), "64 released and 48 live would exceed the limit");
        drop(other);
        pool.trim();
        assert_eq!(pool.counts(), (0, 64, 0));
    }
}
