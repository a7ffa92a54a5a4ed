//! Long arrays in huge pages.
//!
//! The system hands out memory page by page, clears each page and takes a fault for it, which costs a long run as much
//! as many of its steps. So an array from 2 MiB on is a mapping of its own, for which Linux is asked for pages of 2 MiB
//! instead of 4 KiB. Other systems, and Linux where it grants no mapping, have a `Vec`.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use bytemuck::allocation::{try_zeroed_vec, zeroed_vec};
#[cfg(target_os = "linux")]
use memmap2::MmapMut;

/// The bytes of a huge page: a shorter array would leave most of one empty.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// An array whose elements are zeros at first.
#[derive(Debug)]
pub(crate) struct Pages<T>(Place<T>);

#[derive(Debug)]
enum Place<T> {
    Heap(Vec<T>),
    /// A mapping, and how many elements at its start are the array.
    #[cfg(target_os = "linux")]
    Mapped(MmapMut, usize),
}

impl<T: Pod> Pages<T> {
    /// So many zeros; `None` if the system has no memory for them.
    pub(crate) fn try_zeroed(length: usize) -> Option<Self> {
        #[cfg(target_os = "linux")]
        if let Some(map) = mapped(length.checked_mul(size_of::<T>())?) {
            return Some(Self(Place::Mapped(map, length)));
        }
        try_zeroed_vec(length).ok().map(|elements| Self(Place::Heap(elements)))
    }

    /// So many zeros. Without memory for them it stops as a `Vec` does.
    pub(crate) fn zeroed(length: usize) -> Self {
        Self::try_zeroed(length).unwrap_or_else(|| Self(Place::Heap(zeroed_vec(length))))
    }
}

/// A mapping of so many bytes, none if they are few or the system refuses.
#[cfg(target_os = "linux")]
fn mapped(bytes: usize) -> Option<MmapMut> {
    if bytes < HUGE_PAGE {
        return None;
    }
    let map = MmapMut::map_anon(bytes.checked_next_multiple_of(HUGE_PAGE)?).ok()?;
    // Only a hint: without it the pages are small and everything else is the same.
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(map)
}

impl<T: Pod> Deref for Pages<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Place::Heap(elements) => elements,
            #[cfg(target_os = "linux")]
            Place::Mapped(map, length) => &bytemuck::cast_slice(map)[..*length],
        }
    }
}

impl<T: Pod> DerefMut for Pages<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Place::Heap(elements) => elements,
            #[cfg(target_os = "linux")]
            Place::Mapped(map, length) => &mut bytemuck::cast_slice_mut(map)[..*length],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Short and long ones, whose length is no multiple of a page's.
    #[test]
    fn an_array_is_zeros_and_keeps_its_elements() {
        for length in [0, 1, 1000, (1 << 20) + 3] {
            let mut array = Pages::<u64>::zeroed(length);
            assert_eq!(array.len(), length);
            assert!(array.iter().all(|element| *element == 0));
            array.iter_mut().zip(1..).for_each(|(element, number)| *element = number);
            assert!(array.iter().copied().eq(1..=length as u64));
            let is_mapped = cfg!(target_os = "linux") && length > 1000;
            assert_eq!(matches!(array.0, Place::Heap(_)), !is_mapped);
        }
    }

    #[test]
    fn memory_that_is_not_there_is_refused() {
        for length in [usize::MAX, usize::MAX / 8, 1 << 57] {
            assert!(Pages::<u64>::try_zeroed(length).is_none(), "{length}");
        }
    }
}
