//! Mappings of memory in huge pages.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;
use rayon::prelude::*;

/// The bytes of a huge page: a shorter array would leave most of one empty.
const HUGE_PAGE: usize = 2 << 20;

/// A growing array moves to a mapping of so many times its length, and of so many bytes at least. What is never
/// written there takes addresses of the process alone, no memory.
const ROOM: usize = 4;
const LEAST_ROOM: usize = 1 << 27;

/// Elements one thread copies.
const COPIED: usize = 1 << 15;

/// The first elements of a mapping.
#[derive(Debug)]
pub(super) struct Mapping<T> {
    map: MmapMut,
    length: usize,
    /// Elements that the array may grow to where it is: behind it there are zeros up to here.
    room: usize,
    elements: PhantomData<T>,
}

impl<T: Pod + Send + Sync> Mapping<T> {
    /// So many zeros, with room for more. `None` if the bytes are few, or the system refuses.
    pub(super) fn new(length: usize, room: usize) -> Option<Self> {
        let bytes = room.checked_mul(size_of::<T>())?;
        if length.checked_mul(size_of::<T>())? < HUGE_PAGE {
            return None;
        }
        let map = MmapMut::map_anon(bytes.checked_next_multiple_of(HUGE_PAGE)?).ok()?;
        // Only a hint: without it the pages are small and everything else is the same.
        let _ = map.advise(memmap2::Advice::HugePage);
        let room = map.len() / size_of::<T>();
        Some(Self { map, length, room, elements: PhantomData })
    }

    /// These elements, with zeros up to a greater length, and with room for more if the system grants it.
    pub(super) fn with_room(length: usize, elements: &[T]) -> Option<Self> {
        let room = length.saturating_mul(ROOM).max(LEAST_ROOM / size_of::<T>());
        let rooms = [room, length.saturating_add(length / 4), length];
        let mut mapping = rooms.into_iter().find_map(|room| Self::new(length, room))?;
        let places = mapping.par_chunks_mut(COPIED).zip(elements.par_chunks(COPIED));
        places.for_each(|(place, elements)| place[..elements.len()].copy_from_slice(elements));
        Some(mapping)
    }

    /// The same bytes as elements of another type of the same size.
    #[cfg(feature = "vm")]
    pub(super) fn cast<U>(self) -> Mapping<U> {
        Mapping { map: self.map, length: self.length, room: self.room, elements: PhantomData }
    }

    /// Appends zeros, if there is room.
    pub(super) fn grow(&mut self, length: usize) -> bool {
        let has_room = length <= self.room;
        if has_room {
            self.length = length;
        }
        has_room
    }

    /// Drops the elements from this one on, of which those from `written` on are zeros and stay without memory.
    pub(super) fn cut(&mut self, length: usize, written: usize) {
        if length < self.length {
            let written = written.clamp(length, self.length);
            // It may grow again, by zeros.
            self[length..written].fill(T::zeroed());
            self.length = length;
        }
    }
}

impl<T: Pod> Deref for Mapping<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[..self.length * size_of::<T>()])
    }
}

impl<T: Pod> DerefMut for Mapping<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.map[..self.length * size_of::<T>()])
    }
}
