//! Long arrays in huge pages.
//!
//! The system hands out memory page by page, clears each page and takes a fault for it, which costs a long run as much
//! as many of its steps. So an array from 2 MiB on is a mapping of its own, for which Linux is asked for pages of 2 MiB
//! instead of 4 KiB. Other systems, and Linux where it grants no mapping, have a `Vec`.

#[cfg(target_os = "linux")]
mod mapping;

use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use bytemuck::allocation::{try_zeroed_vec, zeroed_vec};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(target_os = "linux")]
use mapping::Mapping;

/// An array, which is in huge pages if it is long.
pub struct Pages<T> {
    place: Place<T>,
    /// Elements before the first one of the array, which are no part of it yet.
    front: usize,
}

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

impl<T> From<Vec<T>> for Pages<T> {
    /// The elements stay where they are.
    fn from(elements: Vec<T>) -> Self {
        Place::Heap(elements).into()
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

    /// Appends an element. Without memory for it it stops as a `Vec` does.
    pub fn push(&mut self, element: T) {
        self.extend_from_slice(&[element]);
    }

    /// Appends elements. Without memory for them it stops as a `Vec` does.
    pub(crate) fn extend_from_slice(&mut self, elements: &[T]) {
        let before = self.place.elements().len();
        let is_mapped = self.map(before.saturating_add(elements.len()));
        match (&mut self.place, is_mapped) {
            (Place::Heap(own), _) => own.extend_from_slice(elements),
            #[cfg(target_os = "linux")]
            (Place::Mapped(mapping), true) => mapping[before..].copy_from_slice(elements),
            #[cfg(target_os = "linux")]
            (Place::Mapped(mapping), false) => self.place = Place::Heap([mapping, elements].concat()),
        }
    }

    /// Appends zeros up to this length, what is before the array included, in a mapping; `false` if it is short, or the
    /// system has none.
    fn map(&mut self, length: usize) -> bool {
        #[cfg(target_os = "linux")]
        {
            if let Place::Mapped(mapping) = &mut self.place
                && mapping.grow(length)
            {
                return true;
            }
            if let Some(mapping) = Mapping::with_room(length, self.place.elements()) {
                self.place = Place::Mapped(mapping);
                return true;
            }
        }
        // Elsewhere they are on the heap, however many they are.
        let _ = length;
        false
    }

    /// Appends zeros up to this length; `None` if the system has no memory for them.
    #[cfg(feature = "vm")]
    pub(crate) fn try_grow(&mut self, length: usize) -> Option<()> {
        if length <= self.len() {
            return Some(());
        }
        let length = self.front.checked_add(length)?;
        if self.map(length) {
            return Some(());
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
    pub fn truncate(&mut self, length: usize) {
        self.cut(length, self.len());
    }

    /// The same where the elements from `written` on are zeros that nobody has written: they take no memory.
    pub(crate) fn cut(&mut self, length: usize, written: usize) {
        let [length, written] = [length, written].map(|count| self.front.saturating_add(count));
        match &mut self.place {
            Place::Heap(elements) => {
                let _ = written;
                elements.truncate(length);
            }
            #[cfg(target_os = "linux")]
            Place::Mapped(mapping) => mapping.cut(length, written),
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

impl<T: Pod + Send + Sync> Clone for Pages<T> {
    fn clone(&self) -> Self {
        let mut elements = Self::zeroed(self.len());
        elements.copy_from_slice(self);
        elements
    }
}

impl<T: Pod + Debug> Debug for Pages<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl<T: Pod + PartialEq> PartialEq for Pages<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

/// As a `Vec`.
impl<T: Pod + Serialize> Serialize for Pages<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(to)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pages<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Vec::deserialize(from).map(Self::from)
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

    /// One element at a time, and many; of twelve bytes, which no huge page holds a whole number of.
    #[test]
    fn an_array_takes_further_elements() {
        let mut array = Pages::<[u32; 3]>::default();
        let mut expected = Vec::new();
        for number in 0..200_000 {
            array.push([number, 1, number + 2]);
            expected.push([number, 1, number + 2]);
        }
        array.extend_from_slice(&expected);
        expected.extend_from_within(..);
        assert_eq!((&array[..], array.len()), (&expected[..], 400_000));
        array.truncate(199_999);
        array.push([7; 3]);
        let copy = array.clone();
        assert!(copy == array && copy.last() == Some(&[7; 3]) && copy[199_998] == expected[199_998]);
        let text = serde_json::to_string(&array).unwrap();
        assert!(serde_json::from_str::<Pages<[u32; 3]>>(&text).unwrap() == array);
        assert!(serde_json::from_str::<Vec<[u32; 3]>>(&text).unwrap() == array[..]);
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
