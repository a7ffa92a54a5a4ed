//! Long arrays in huge pages.
//!
//! The system hands out memory page by page, clears each page and takes a fault for it, which costs a long run as much
//! as many of its steps. So an array from 2 MiB on is a mapping of its own, for which Linux is asked for pages of 2 MiB
//! instead of 4 KiB. Other systems, and Linux where it grants no mapping, have a `Vec`.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use bytemuck::allocation::{try_zeroed_vec, zeroed_vec};

#[cfg(target_os = "linux")]
use mapping::Mapping;

/// An array whose elements are zeros at first.
#[derive(Debug)]
pub(crate) struct Pages<T> {
    place: Place<T>,
    /// Elements before the first one of the array, which are no part of it yet.
    front: usize,
}

#[derive(Debug)]
enum Place<T> {
    Heap(Vec<T>),
    #[cfg(target_os = "linux")]
    Mapped(Mapping<T>),
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Place::Heap(Vec::new()).into()
    }
}

impl<T> From<Place<T>> for Pages<T> {
    fn from(place: Place<T>) -> Self {
        Self { place, front: 0 }
    }
}

impl<T: Pod + Send + Sync> Pages<T> {
    /// So many zeros; `None` if the system has no memory for them.
    pub(crate) fn try_zeroed(length: usize) -> Option<Self> {
        #[cfg(target_os = "linux")]
        if let Some(mapping) = Mapping::new(length, length) {
            return Some(Place::Mapped(mapping).into());
        }
        try_zeroed_vec(length).ok().map(|elements| Place::Heap(elements).into())
    }

    /// So many zeros. Without memory for them it stops as a `Vec` does.
    pub(crate) fn zeroed(length: usize) -> Self {
        Self::try_zeroed(length).unwrap_or_else(|| Place::Heap(zeroed_vec(length)).into())
    }

    /// An empty array behind so many zeros.
    #[cfg(feature = "vm")]
    pub(crate) fn behind(front: usize) -> Self {
        Self { front, ..Self::zeroed(front) }
    }

    /// The array with what is before it.
    #[cfg(feature = "vm")]
    pub(crate) fn whole(self) -> Self {
        self.place.into()
    }

    /// The same bytes as elements of another type, of the same size and of no stricter alignment.
    #[cfg(feature = "vm")]
    pub(crate) fn cast<U: Pod>(self) -> Pages<U> {
        const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() >= align_of::<U>()) };
        let place = match self.place {
            Place::Heap(elements) => Place::Heap(bytemuck::cast_slice(&elements).to_vec()),
            #[cfg(target_os = "linux")]
            Place::Mapped(mapping) => Place::Mapped(mapping.cast()),
        };
        Pages { place, front: self.front }
    }

    /// Appends zeros up to this length; `None` if the system has no memory for them.
    #[cfg(feature = "vm")]
    pub(crate) fn try_grow(&mut self, length: usize) -> Option<()> {
        if length <= self.len() {
            return Some(());
        }
        let length = self.front.checked_add(length)?;
        #[cfg(target_os = "linux")]
        {
            if let Place::Mapped(mapping) = &mut self.place
                && mapping.grow(length)
            {
                return Some(());
            }
            if let Some(mapping) = Mapping::with_room(length, self.place.elements()) {
                self.place = Place::Mapped(mapping);
                return Some(());
            }
        }
        match &mut self.place {
            Place::Heap(elements) => {
                elements.try_reserve_exact(length - elements.len()).ok()?;
                elements.resize(length, T::zeroed());
            }
            #[cfg(target_os = "linux")]
            Place::Mapped(mapping) => {
                let mut elements = Vec::new();
                elements.try_reserve_exact(length).ok()?;
                elements.extend_from_slice(mapping);
                elements.resize(length, T::zeroed());
                self.place = Place::Heap(elements);
            }
        }
        Some(())
    }

    /// Drops the elements from this one on.
    #[cfg(feature = "vm")]
    pub(crate) fn truncate(&mut self, length: usize) {
        let length = self.front.saturating_add(length);
        match &mut self.place {
            Place::Heap(elements) => elements.truncate(length),
            #[cfg(target_os = "linux")]
            Place::Mapped(mapping) => mapping.truncate(length),
        }
    }
}

impl<T: Pod> Place<T> {
    fn elements(&self) -> &[T] {
        match self {
            Self::Heap(elements) => elements,
            #[cfg(target_os = "linux")]
            Self::Mapped(mapping) => mapping,
        }
    }
}

impl<T: Pod> Deref for Pages<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.place.elements()[self.front..]
    }
}

impl<T: Pod> DerefMut for Pages<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        let elements: &mut [T] = match &mut self.place {
            Place::Heap(elements) => elements,
            #[cfg(target_os = "linux")]
            Place::Mapped(mapping) => mapping,
        };
        &mut elements[self.front..]
    }
}

#[cfg(target_os = "linux")]
mod mapping {
    use std::marker::PhantomData;
    use std::ops::{Deref, DerefMut};

    use bytemuck::Pod;
    use memmap2::MmapMut;
    #[cfg(feature = "vm")]
    use rayon::prelude::*;

    /// The bytes of a huge page: a shorter array would leave most of one empty.
    const HUGE_PAGE: usize = 2 << 20;

    /// A growing array moves to a mapping of so many times its length, and of so many bytes at least. What is never
    /// written there takes addresses of the process alone, no memory.
    #[cfg(feature = "vm")]
    const ROOM: usize = 4;
    #[cfg(feature = "vm")]
    const LEAST_ROOM: usize = 1 << 28;

    /// Elements one thread copies.
    #[cfg(feature = "vm")]
    const COPIED: usize = 1 << 15;

    /// The first elements of a mapping.
    #[derive(Debug)]
    pub(super) struct Mapping<T> {
        map: MmapMut,
        length: usize,
        /// Elements that the array may grow to where it is: behind it there are zeros up to here.
        #[cfg(feature = "vm")]
        room: usize,
        elements: PhantomData<T>,
    }

    impl<T: Pod + Send + Sync> Mapping<T> {
        /// So many zeros, with room for more. `None` if the bytes are few, or the system refuses.
        pub(super) fn new(length: usize, room: usize) -> Option<Self> {
            const { assert!(size_of::<T>().is_power_of_two(), "a huge page holds whole elements") };
            let bytes = room.checked_mul(size_of::<T>())?;
            if length.checked_mul(size_of::<T>())? < HUGE_PAGE {
                return None;
            }
            let map = MmapMut::map_anon(bytes.checked_next_multiple_of(HUGE_PAGE)?).ok()?;
            // Only a hint: without it the pages are small and everything else is the same.
            let _ = map.advise(memmap2::Advice::HugePage);
            #[cfg(feature = "vm")]
            let room = map.len() / size_of::<T>();
            Some(Self {
                map,
                length,
                #[cfg(feature = "vm")]
                room,
                elements: PhantomData,
            })
        }

        /// These elements, with zeros up to a greater length, and with room for more if the system grants it.
        #[cfg(feature = "vm")]
        pub(super) fn with_room(length: usize, elements: &[T]) -> Option<Self> {
            let room = length.saturating_mul(ROOM).max(LEAST_ROOM / size_of::<T>());
            let mut mapping = Self::new(length, room).or_else(|| Self::new(length, length))?;
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
        #[cfg(feature = "vm")]
        pub(super) fn grow(&mut self, length: usize) -> bool {
            let has_room = length <= self.room;
            if has_room {
                self.length = length;
            }
            has_room
        }

        /// Drops the elements from this one on.
        #[cfg(feature = "vm")]
        pub(super) fn truncate(&mut self, length: usize) {
            if length < self.length {
                // It may grow again, by zeros.
                self[length..].fill(T::zeroed());
                self.length = length;
            }
        }
    }

    impl<T: Pod> Deref for Mapping<T> {
        type Target = [T];

        #[inline(always)]
        fn deref(&self) -> &[T] {
            &bytemuck::cast_slice(&self.map)[..self.length]
        }
    }

    impl<T: Pod> DerefMut for Mapping<T> {
        #[inline(always)]
        fn deref_mut(&mut self) -> &mut [T] {
            &mut bytemuck::cast_slice_mut(&mut self.map)[..self.length]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_mapped(array: &Pages<u64>) -> bool {
        !matches!(array.place, Place::Heap(_))
    }

    /// Short and long ones, whose length is no multiple of a page's.
    #[test]
    fn an_array_is_zeros_and_keeps_its_elements() {
        for length in [0, 1, 1000, (1 << 20) + 3] {
            let mut array = Pages::<u64>::zeroed(length);
            assert_eq!(array.len(), length);
            assert!(array.iter().all(|element| *element == 0));
            array.iter_mut().zip(1..).for_each(|(element, number)| *element = number);
            assert!(array.iter().copied().eq(1..=length as u64));
            assert_eq!(is_mapped(&array), cfg!(target_os = "linux") && length > 1000);
        }
    }

    #[test]
    fn memory_that_is_not_there_is_refused() {
        for length in [usize::MAX, usize::MAX / 8, 1 << 57] {
            assert!(Pages::<u64>::try_zeroed(length).is_none(), "{length}");
        }
    }

    /// Short and long ones, before and behind whose first element others are written.
    #[cfg(feature = "vm")]
    #[test]
    fn an_array_behind_others_becomes_one_with_them() {
        for (front, length) in [(3, 100), (3, 400_000), (500_000, 2), (0, 5)] {
            let mut array = Pages::<u64>::behind(front);
            assert!(array.is_empty());
            array.try_grow(length).unwrap();
            array.iter_mut().zip(1..).for_each(|(element, number)| *element = number);
            array.truncate(length - 1);
            array.try_grow(length).unwrap();
            let whole: Pages<[u32; 2]> = array.whole().cast();
            let expected = (0..front as u64).map(|_| 0).chain(1..length as u64).chain([0]);
            assert!(whole.iter().map(|words| u64::from(words[0])).eq(expected), "{front} {length}");
            assert!(whole.iter().all(|words| words[1] == 0));
        }
    }

    /// On the heap, to a mapping, within its room, beyond it, and again after it was cut.
    #[cfg(feature = "vm")]
    #[test]
    fn an_array_grows_by_zeros() {
        let mut array = Pages::<u64>::default();
        let mut expected = Vec::new();
        for (grown, cut) in [(5, 5), (1000, 900), (300_000, 300_000), (400_000, 350_000), (360_000, 360_000)]
            .into_iter()
            .chain([(3_000_000, 299_999), (300_001, 300_001)])
        {
            array.try_grow(grown).unwrap();
            expected.resize(grown, 0);
            assert!(array[..] == expected[..], "{grown}");
            for elements in [&mut array[..], &mut expected[..]] {
                elements.iter_mut().zip(1..).for_each(|(element, number)| *element = number);
            }
            array.truncate(cut);
            expected.truncate(cut);
            assert!(array[..] == expected[..], "{cut}");
        }
        assert_eq!(is_mapped(&array), cfg!(target_os = "linux"));
        assert!(array.try_grow(1 << 57).is_none());
        assert!(array[..] == expected[..], "a refusal changes nothing");
        array.try_grow(7).unwrap();
        assert_eq!(array.len(), 300_001);
    }
}
