//! Zeroed storage. Large tables are written once and dropped soon, so with 4 KiB pages a proof spends a good part of its time on
//! page faults; from 4 MiB on they are mapped with huge pages.

use bytemuck::Pod;
use memmap2::MmapMut;

/// From this size on, a mapping of its own.
const MAPPED_BYTES: usize = 4 << 20;

/// A slice of a length fixed at its creation, zero at first.
#[derive(Debug)]
pub(crate) enum Zeroed<T> {
    /// From the allocator.
    Heap(Vec<T>),
    /// A mapping of exactly the slice's bytes.
    Mapped(MmapMut),
}

impl<T: Pod> Zeroed<T> {
    /// `len` zeros; `None` if the system refuses.
    pub(crate) fn new(len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>())?;
        if bytes < MAPPED_BYTES {
            return bytemuck::allocation::try_zeroed_vec(len).ok().map(Self::Heap);
        }
        let map = MmapMut::map_anon(bytes).ok()?;
        // Only a hint: without it the pages are small and everything else is the same.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Some(Self::Mapped(map))
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Self::Heap(values) => values,
            Self::Mapped(map) => bytemuck::cast_slice(map),
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            Self::Heap(values) => values,
            Self::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAPPED_BYTES, Zeroed};

    #[test]
    fn both_kinds_are_zero_and_hold_what_is_written() {
        for bytes in [0, 8, MAPPED_BYTES - 8, MAPPED_BYTES, MAPPED_BYTES + 8] {
            let mut values = Zeroed::<u64>::new(bytes / 8).expect("a few megabytes");
            assert_eq!(matches!(values, Zeroed::Mapped(_)), bytes >= MAPPED_BYTES);
            assert!(values.as_slice().iter().all(|value| *value == 0));
            values.as_mut_slice().iter_mut().zip(0..).for_each(|(value, i)| *value = i);
            assert!(values.as_slice().iter().copied().eq(0..bytes as u64 / 8));
        }
    }

    #[test]
    fn what_no_system_has_is_refused() {
        assert!(Zeroed::<u64>::new(usize::MAX / 8).is_none());
        assert!(Zeroed::<u64>::new(usize::MAX / 4).is_none());
    }
}
