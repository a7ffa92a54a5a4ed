//! Storage of tables.
//!
//! Large tables are written once and dropped soon. From 1 MiB on each is a mapping of its own, with huge pages where it has
//! any, and a mapping that is dropped serves again: the system clears every page that it hands out, which took a good part
//! of a proof's time.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use memmap2::MmapMut;

/// From this size on, a mapping of its own.
const MAPPED_BYTES: usize = 1 << 20;

/// What tests find in cells that nobody has written: no canonical element of any field.
const UNWRITTEN: u8 = 0xff;

/// A slice of a length fixed at its creation.
#[derive(Debug)]
pub(crate) enum Storage<T> {
    /// From the allocator.
    Heap(Vec<T>),
    /// The first bytes of a mapping.
    Mapped(Mapping, PhantomData<T>),
}

impl<T: Pod> Storage<T> {
    /// `len` elements of any value, for whoever writes them all; `None` if the system refuses.
    pub(crate) fn unwritten(len: usize, spares: &Arc<Spares>) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>())?;
        let mut storage = if bytes < MAPPED_BYTES {
            Self::Heap(bytemuck::allocation::try_zeroed_vec(len).ok()?)
        } else {
            Self::Mapped(Mapping::new(bytes, spares)?, PhantomData)
        };
        // A cell that was left out shows in tests, whatever was there before.
        if cfg!(debug_assertions) {
            bytemuck::cast_slice_mut::<T, u8>(storage.as_mut_slice()).fill(UNWRITTEN);
        }
        Some(storage)
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Self::Heap(values) => values,
            Self::Mapped(mapping, _) => bytemuck::cast_slice(mapping.bytes()),
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            Self::Heap(values) => values,
            Self::Mapped(mapping, _) => bytemuck::cast_slice_mut(mapping.bytes_mut()),
        }
    }
}

/// A mapping that goes to the spares when it is dropped.
#[derive(Debug)]
pub(crate) struct Mapping {
    map: Option<MmapMut>,
    bytes: usize,
    spares: Arc<Spares>,
}

impl Mapping {
    fn new(bytes: usize, spares: &Arc<Spares>) -> Option<Self> {
        let map = spares.take(bytes).or_else(|| {
            let map = MmapMut::map_anon(bytes).ok()?;
            // Only a hint: without it the pages are small and everything else is the same.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            Some(map)
        });
        if map.is_none() {
            spares.lock().live -= bytes;
        }
        Some(Self { map: Some(map?), bytes, spares: spares.clone() })
    }

    fn bytes(&self) -> &[u8] {
        &self.map.as_ref().expect(HELD)[..self.bytes]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map.as_mut().expect(HELD)[..self.bytes]
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.spares.give(self.map.take().expect(HELD), self.bytes);
    }
}

const HELD: &str = "a mapping is given away when it is dropped";

/// The mappings of a backend that are free. They, and what is wanted of those in use, never have more bytes than were once
/// wanted. They go back to the system when none is in use, and when a proof is about to ask what memory there is.
#[derive(Debug, Default)]
pub(crate) struct Spares(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The oldest first.
    free: Vec<MmapMut>,
    /// Bytes wanted of all mappings in use.
    live: usize,
    /// The most of them at a time so far.
    most: usize,
}

impl Spares {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of the free mappings.
    pub(super) fn held(&self) -> u64 {
        self.lock().free.iter().map(|map| map.len() as u64).sum()
    }

    /// Gives all free mappings to the system.
    pub(super) fn release(&self) {
        let free = std::mem::take(&mut self.lock().free);
        drop(free);
    }

    /// A free mapping of so many bytes and hardly more, the smallest one. Counts them as used in any case.
    fn take(&self, bytes: usize) -> Option<MmapMut> {
        let mut state = self.lock();
        state.live += bytes;
        state.most = state.most.max(state.live);
        let fitting =
            state.free.iter().enumerate().filter(|(_, map)| (bytes..=bytes + bytes / 16).contains(&map.len()));
        let found = fitting.min_by_key(|(_, map)| map.len()).map(|(index, _)| index);
        let found = found.map(|index| state.free.remove(index));
        let surplus = state.surplus();
        drop(state);
        // Unmapping takes a while.
        drop(surplus);
        found
    }

    /// Takes a mapping of which so many bytes were used.
    fn give(&self, map: MmapMut, bytes: usize) {
        let mut state = self.lock();
        state.live -= bytes;
        state.free.push(map);
        if state.live == 0 {
            state.most = 0;
        }
        let surplus = state.surplus();
        drop(state);
        drop(surplus);
    }
}

impl State {
    /// The oldest free mappings, without which the others and those in use have at most `most` bytes.
    fn surplus(&mut self) -> Vec<MmapMut> {
        let mut held = self.live + self.free.iter().map(|map| map.len()).sum::<usize>();
        let count = self.free.iter().take_while(|map| {
            let too_many = held > self.most;
            held -= map.len();
            too_many
        });
        let count = count.count();
        self.free.drain(..count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(spares: &Spares) -> usize {
        spares.lock().free.iter().map(|map| map.len()).sum()
    }

    #[test]
    fn both_kinds_hold_what_is_written() {
        let spares = Arc::default();
        for bytes in [0, 8, MAPPED_BYTES - 8, MAPPED_BYTES, MAPPED_BYTES + 8] {
            let mut values = Storage::<u64>::unwritten(bytes / 8, &spares).expect("a few megabytes");
            assert_eq!(matches!(values, Storage::Mapped(..)), bytes >= MAPPED_BYTES);
            assert_eq!(values.as_slice().len(), bytes / 8);
            values.as_mut_slice().iter_mut().zip(0..).for_each(|(value, i)| *value = i);
            assert!(values.as_slice().iter().copied().eq(0..bytes as u64 / 8));
        }
    }

    #[test]
    fn what_no_system_has_is_refused_and_not_counted() {
        let spares = Arc::default();
        assert!(Storage::<u64>::unwritten(usize::MAX / 8, &spares).is_none());
        assert!(Storage::<u64>::unwritten(usize::MAX / 4, &spares).is_none());
        assert_eq!(spares.lock().live, 0);
    }

    #[test]
    fn a_dropped_mapping_serves_again_within_what_was_once_in_use() {
        let spares = Arc::default();
        let new = |mebibytes: usize| Storage::<u64>::unwritten(mebibytes << 17, &spares).expect("a few megabytes");
        let place = |storage: &Storage<u64>| storage.as_slice().as_ptr();
        let (kept, dropped) = (new(1), new(2));
        let at = place(&dropped);
        drop(dropped);
        assert_eq!(held(&spares), 2 << 20);
        let again = new(2);
        assert_eq!(place(&again), at);
        drop(again);
        // Too large for three mebibytes in all, of which the spare has two: that one goes.
        let larger = new(2 * 2);
        assert_eq!(held(&spares), 0);
        drop(larger);
        // Five in all: the spare of four, which is too large for one more, goes.
        let smaller = new(1);
        assert_eq!(held(&spares), 0);
        drop(smaller);
        assert_eq!(held(&spares), 1 << 20);
        spares.release();
        assert_eq!(held(&spares), 0);
        drop(kept);
        assert_eq!((held(&spares), spares.lock().most), (0, 0));
    }
}
