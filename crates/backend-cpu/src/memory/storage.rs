//! Storage of tables.
//!
//! Large tables are written once and dropped soon. From 1 MiB on each is a mapping of its own, with huge pages where it
//! has any, and a mapping that is dropped serves again: the system clears every page that it hands out, which took a
//! good part of a proof's time. When none is in use they are left to the system, which takes their pages only if it
//! runs short: the next proof finds them warm.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use memmap2::MmapMut;

#[cfg(target_os = "linux")]
use crate::host::is_address_space_limited;

/// From this size on, a mapping of its own.
const MAPPED_BYTES: usize = 1 << 20;

/// The content that tests find in cells that nobody has written: no canonical element of any field.
const UNWRITTEN: u8 = 0xff;
/// So many bytes at the beginning and at the end have it. The others have what was there before: to fill large tables,
/// on one thread, took two fifths of the time of a test that proves.
const MARKED_BYTES: usize = 1 << 21;

/// A slice of a length fixed at its creation.
#[derive(Debug)]
pub(crate) enum Storage<T> {
    /// From the allocator.
    Heap(Vec<T>),
    /// The first bytes of a mapping.
    Mapped(Mapping, PhantomData<T>),
}

impl<T: Pod> Storage<T> {
    /// `len` elements of any value, for a caller that writes them all; `None` if the system refuses.
    pub(crate) fn unwritten(len: usize, spares: &Arc<Spares>) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>())?;
        let mut storage = if bytes < MAPPED_BYTES {
            Self::Heap(bytemuck::allocation::try_zeroed_vec(len).ok()?)
        } else {
            Self::Mapped(Mapping::new(bytes, spares)?, PhantomData)
        };
        // A cell that was left out shows in tests.
        if cfg!(debug_assertions) {
            let cells = bytemuck::cast_slice_mut::<T, u8>(storage.as_mut_slice());
            let (head, rest) = cells.split_at_mut(MARKED_BYTES.min(bytes));
            head.fill(UNWRITTEN);
            let tail = rest.len().saturating_sub(MARKED_BYTES);
            rest[tail..].fill(UNWRITTEN);
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
        let mut state = spares.lock();
        let Some(map) = map else {
            state.live -= bytes;
            return None;
        };
        state.most = state.most.max(state.live);
        drop(state);
        Some(Self { map: Some(map), bytes, spares: spares.clone() })
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

/// The mappings of a backend that are free. Free mappings and wanted ones in use never have more bytes together than
/// were once wanted. They are left to the system when none is in use, and when a proof is about to ask what memory
/// there is.
#[derive(Debug, Default)]
pub(crate) struct Spares(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The oldest first.
    free: Vec<Spare>,
    /// Bytes wanted of all mappings in use.
    live: usize,
    /// The most of them at a time so far.
    most: usize,
}

/// A free mapping.
#[derive(Debug)]
struct Spare {
    map: MmapMut,
    /// Whether the system may take its pages, and counts them as available.
    is_left: bool,
}

impl Spare {
    fn bytes(&self) -> usize {
        self.map.len()
    }
}

/// Leaves the pages of a mapping to the system; says whether it took the offer. An address space that is limited counts
/// them in any case.
#[cfg(target_os = "linux")]
fn leave(map: &MmapMut) -> bool {
    // SAFETY: the pages may turn into zeros until they are written again. Nobody holds a reference to them, and the
    // next owner of the mapping writes each element before it is read.
    !is_address_space_limited() && unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::Free) }.is_ok()
}

/// Elsewhere it is given back instead.
#[cfg(not(target_os = "linux"))]
fn leave(_map: &MmapMut) -> bool {
    false
}

impl Spares {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of the free mappings that the system does not count as available.
    pub(super) fn held(&self) -> u64 {
        self.lock().free.iter().filter(|spare| !spare.is_left).map(|spare| spare.bytes() as u64).sum()
    }

    /// Leaves all free mappings to the system.
    pub(super) fn release(&self) {
        let refused = self.lock().leave_free();
        drop(refused);
    }

    /// A free mapping of `bytes` bytes and hardly more, the smallest one. Counts them as used in any case.
    fn take(&self, bytes: usize) -> Option<MmapMut> {
        let mut state = self.lock();
        state.live += bytes;
        let fitting =
            state.free.iter().enumerate().filter(|(_, spare)| (bytes..=bytes + bytes / 16).contains(&spare.bytes()));
        let found = fitting.min_by_key(|(_, spare)| spare.bytes()).map(|(index, _)| index);
        let found = found.map(|index| state.free.remove(index).map);
        let most = state.most.max(state.live);
        let surplus = state.surplus(most);
        drop(state);
        // Unmapping takes a while.
        drop(surplus);
        found
    }

    /// Takes a mapping of which `bytes` bytes were used.
    fn give(&self, map: MmapMut, bytes: usize) {
        let mut state = self.lock();
        state.live -= bytes;
        state.free.push(Spare { map, is_left: false });
        let most = state.most;
        let mut surplus = state.surplus(most);
        if state.live == 0 {
            surplus.extend(state.leave_free());
            if state.free.is_empty() {
                state.most = 0;
            }
        }
        drop(state);
        drop(surplus);
    }
}

impl State {
    /// The oldest free mappings; without them the others and the ones in use have at most `most` bytes.
    fn surplus(&mut self, most: usize) -> Vec<Spare> {
        let mut held = self.live + self.free.iter().map(Spare::bytes).sum::<usize>();
        let count = self.free.iter().take_while(|spare| {
            let too_many = held > most;
            held -= spare.bytes();
            too_many
        });
        let count = count.count();
        self.free.drain(..count).collect()
    }

    /// Leaves the pages of free mappings to the system, and returns the mappings of which it has to be given all.
    fn leave_free(&mut self) -> Vec<Spare> {
        self.free.iter_mut().filter(|spare| !spare.is_left).for_each(|spare| spare.is_left = leave(&spare.map));
        let (left, refused) = std::mem::take(&mut self.free).into_iter().partition(|spare| spare.is_left);
        self.free = left;
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(spares: &Spares) -> usize {
        spares.lock().free.iter().map(Spare::bytes).sum()
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
        let state = spares.lock();
        assert_eq!((state.live, state.most), (0, 0));
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
        assert_eq!((held(&spares), spares.held()), (1 << 20, 1 << 20));
        drop(kept);
        // None is in use: kept mappings count as the system's, and serve again.
        let live = spares.lock().live;
        assert_eq!((live, spares.held()), (0, 0));
        if cfg!(target_os = "linux") && !is_address_space_limited() {
            assert_eq!(held(&spares), 2 << 20);
            let places: Vec<_> = spares.lock().free.iter().map(|spare| spare.map.as_ptr().cast()).collect();
            let mut again = new(1);
            assert!(places.contains(&place(&again)));
            assert_eq!((held(&spares), spares.held()), (1 << 20, 0));
            again.as_mut_slice().iter_mut().zip(0..).for_each(|(word, i)| *word = i);
            assert!(again.as_slice().iter().copied().eq(0..1 << 17));
        } else {
            assert_eq!(held(&spares), 0);
        }
    }
}
