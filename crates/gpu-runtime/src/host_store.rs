//! Tables that are kept in the host's memory for a device.
//!
//! The system clears every page that it hands out, one fault after the other, which takes many times as long as the
//! copy that fills it. So they are kept in pieces that serve again as long as anything is kept, on huge pages where the
//! system has any. A copy by several threads spreads the first page faults over all of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpu_hal::{Bytes, ErrorKind, HalError, Result};
use memmap2::MmapMut;

/// Bytes of a piece: a larger copy is no faster.
const PIECE: usize = 256 << 20;
/// From this size on, a mapping of its own, of a multiple of [`STEP`] bytes.
const MAPPED: usize = 1 << 20;
const STEP: usize = 2 << 20;

/// Pieces that are free, and how many bytes are kept.
pub(crate) struct HostStore {
    state: Mutex<State>,
    piece: usize,
}

#[derive(Default)]
struct State {
    /// By their bytes; no list is empty.
    free: BTreeMap<usize, Vec<MmapMut>>,
    free_bytes: usize,
    /// Bytes of the mappings that are in use, and the most that were so far.
    live: usize,
    most: usize,
}

/// Words in the host's memory.
pub(crate) struct HostBlock {
    pieces: Vec<Place>,
    /// Words of every piece but the last.
    words: usize,
    store: Arc<HostStore>,
}

enum Place {
    Heap(Vec<u64>),
    /// The first words of a mapping.
    Mapped(MmapMut, usize),
}

impl Place {
    fn words(&self) -> &[u64] {
        match self {
            Self::Heap(words) => words,
            Self::Mapped(map, count) => &bytemuck::cast_slice(map)[..*count],
        }
    }

    fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Heap(words) => words,
            Self::Mapped(map, count) => &mut bytemuck::cast_slice_mut(map)[..*count],
        }
    }
}

impl HostStore {
    pub(crate) fn new() -> Arc<Self> {
        Self::with_piece(PIECE)
    }

    /// Pieces of `piece` bytes, a multiple of [`STEP`].
    fn with_piece(piece: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), piece })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Counts are changed together with the counted things.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory for `count` words, with any contents.
    pub(crate) fn room(self: &Arc<Self>, count: usize) -> Result<HostBlock> {
        let words = self.piece / size_of::<u64>();
        let mut kept = HostBlock { pieces: Vec::new(), words, store: self.clone() };
        for first in (0..count).step_by(words) {
            let count = words.min(count - first);
            let place = self.place(count).ok_or_else(|| {
                let detail = format!("the host has no {} more", Bytes((count * size_of::<u64>()) as u64));
                HalError::new(ErrorKind::OutOfMemory, "stash", detail)
            })?;
            kept.pieces.push(place);
        }
        Ok(kept)
    }

    fn place(&self, count: usize) -> Option<Place> {
        let bytes = count * size_of::<u64>();
        if bytes < MAPPED {
            return bytemuck::allocation::try_zeroed_vec(count).ok().map(Place::Heap);
        }
        let bytes = bytes.next_multiple_of(STEP);
        let (found, surplus) = self.lock().take(bytes);
        // Unmapping takes a while.
        drop(surplus);
        let map = found.or_else(|| {
            let map = MmapMut::map_anon(bytes).ok();
            match &map {
                // Only a hint: without it the pages are small and everything else is the same.
                #[cfg(target_os = "linux")]
                Some(map) => drop(map.advise(memmap2::Advice::HugePage)),
                #[cfg(not(target_os = "linux"))]
                Some(_) => {}
                None => self.lock().live -= bytes,
            }
            map
        })?;
        Some(Place::Mapped(map, count))
    }

    fn give(&self, map: MmapMut) {
        let surplus = self.lock().give(map);
        drop(surplus);
    }
}

impl State {
    /// A free mapping of `bytes` bytes, which count as used in any case, and mappings that are now too many.
    fn take(&mut self, bytes: usize) -> (Option<MmapMut>, Vec<MmapMut>) {
        self.live += bytes;
        let found = self.free.get_mut(&bytes).and_then(Vec::pop);
        if found.is_some() {
            self.free_bytes -= bytes;
            self.free.retain(|_, list| !list.is_empty());
        }
        self.most = self.most.max(self.live);
        (found, self.surplus())
    }

    /// Takes a mapping back; all are the system's when none is in use.
    fn give(&mut self, map: MmapMut) -> Vec<MmapMut> {
        self.live -= map.len();
        self.free_bytes += map.len();
        self.free.entry(map.len()).or_default().push(map);
        if self.live == 0 {
            self.most = 0;
        }
        self.surplus()
    }

    /// Free mappings without which there are no more bytes than were once in use, the largest first.
    fn surplus(&mut self) -> Vec<MmapMut> {
        let mut surplus = Vec::new();
        while self.live + self.free_bytes > self.most {
            let Some(mut list) = self.free.last_entry() else { break };
            surplus.extend(list.get_mut().pop());
            if list.get().is_empty() {
                list.remove();
            }
            self.free_bytes -= surplus.last().map_or(0, |map| map.len());
        }
        surplus
    }
}

impl HostBlock {
    /// All words, in pieces.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[u64]> {
        self.pieces.iter().map(Place::words)
    }

    /// The same, to be written.
    pub(crate) fn pieces_mut(&mut self) -> impl Iterator<Item = &mut [u64]> {
        self.pieces.iter_mut().map(Place::words_mut)
    }

    /// How many words there are.
    pub(crate) fn count(&self) -> usize {
        self.pieces().map(<[u64]>::len).sum()
    }
}

impl HostBlock {
    /// A word.
    pub(crate) fn word(&self, at: usize) -> u64 {
        self.pieces[at / self.words].words()[at % self.words]
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        for place in self.pieces.drain(..) {
            if let Place::Mapped(map, _) = place {
                self.store.give(map);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: usize = STEP / 8;

    fn filled(store: &Arc<HostStore>, count: usize) -> HostBlock {
        let mut kept = store.room(count).expect("a few megabytes");
        let mut next = 0;
        for word in kept.pieces_mut().flatten() {
            *word = next;
            next += 1;
        }
        assert_eq!(next as usize, count);
        kept
    }

    fn counts(store: &HostStore) -> (usize, usize) {
        let state = store.lock();
        (state.live / STEP, state.free_bytes / STEP)
    }

    #[test]
    fn what_is_written_is_there() {
        let store = HostStore::with_piece(2 * STEP);
        for count in [0, 1, MAPPED / 8 - 1, MAPPED / 8, 2 * WORDS, 2 * WORDS + 1, 5 * WORDS - 7] {
            let kept = filled(&store, count);
            assert!(kept.pieces().flatten().copied().eq(0..count as u64), "{count}");
            assert!((0..count).step_by(1009).chain(count.checked_sub(1)).all(|at| kept.word(at) == at as u64));
        }
        assert_eq!(counts(&store), (0, 0));
    }

    #[test]
    fn pieces_serve_again_within_what_was_once_in_use() {
        let store = HostStore::with_piece(2 * STEP);
        let (one, two) = (filled(&store, 4 * WORDS), filled(&store, WORDS));
        assert_eq!(counts(&store), (5, 0));
        let places: Vec<_> = one.pieces().map(|piece| piece.as_ptr()).collect();
        drop(one);
        assert_eq!(counts(&store), (1, 4));
        let again = filled(&store, 2 * WORDS);
        assert!(again.pieces().all(|piece| places.contains(&piece.as_ptr())));
        assert_eq!(counts(&store), (3, 2));
        // None of that size is free: one that is goes.
        let other = filled(&store, WORDS);
        assert_eq!(counts(&store), (4, 0));
        drop((again, other));
        assert_eq!(counts(&store), (1, 3));
        drop(two);
        assert_eq!(counts(&store), (0, 0));
    }

    #[test]
    fn what_no_system_has_is_refused_and_not_counted() {
        let store = HostStore::with_piece(1 << 62);
        assert_eq!(store.room(1 << 58).err().expect("too much").kind, ErrorKind::OutOfMemory);
        assert_eq!(counts(&store), (0, 0));
    }
}
