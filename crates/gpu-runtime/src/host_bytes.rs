//! Bytes to upload: they need not be in one place, or are made on their way.

use std::ops::{Deref, Range};

/// Makes bytes: given the number of the first, it fills the slice, which has whole words and begins at one.
type MakeBytes<'a> = dyn Fn(usize, &mut [u8]) + Sync + 'a;

/// Bytes of a piece that is made, whole words: they stay in the cache until they are used.
const MADE: usize = 64 << 10;

/// Bytes of the host: slices of its memory, all of one length, one after the other, such as the columns of a table; or
/// bytes that are made when they are read.
#[derive(Clone, Copy)]
pub struct HostBytes<'a> {
    kind: Kind<'a>,
    length: usize,
}

/// Some of the bytes.
pub enum Piece<'a> {
    /// Part of a slice.
    Slice(&'a [u8]),
    /// Made just now: words, which may be of a wider type than the elements are.
    Made(Vec<u64>),
}

impl Deref for Piece<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Slice(bytes) => bytes,
            Self::Made(words) => bytemuck::cast_slice(words),
        }
    }
}

#[derive(Clone, Copy)]
enum Kind<'a> {
    /// Slices, and bytes of each.
    Slices(&'a [&'a [u8]], usize),
    Made(&'a MakeBytes<'a>),
}

impl<'a> HostBytes<'a> {
    /// The bytes of these slices.
    ///
    /// # Panics
    /// If their lengths differ.
    pub fn new(slices: &'a [&'a [u8]]) -> Self {
        let length = slices.first().map_or(0, |slice| slice.len());
        assert!(slices.iter().all(|slice| slice.len() == length), "slices of one length");
        Self { kind: Kind::Slices(slices, length), length: slices.len() * length }
    }

    /// `length` bytes that `make` makes, called on any threads: given the number of the first, it fills the slice,
    /// which has whole words and begins at one, in memory, too.
    pub fn made(length: usize, make: &'a MakeBytes<'a>) -> Self {
        Self { kind: Kind::Made(make), length }
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is no byte.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Puts the bytes of a range, which is within them and has whole words, to a place of as many that begins at a
    /// word.
    pub fn read(&self, range: Range<usize>, to: &mut [u8]) {
        match self.kind {
            Kind::Slices(slices, length) => {
                let mut at = 0;
                for piece in slices_of(slices, length, range) {
                    to[at..][..piece.len()].copy_from_slice(piece);
                    at += piece.len();
                }
            }
            Kind::Made(make) => make(range.start, to),
        }
    }

    /// The bytes of a range, which is within them and has whole words if they are made, in order.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        let (slices, made) = match self.kind {
            Kind::Slices(slices, length) => (Some(slices_of(slices, length, range)), None),
            Kind::Made(make) => (None, Some((make, range))),
        };
        let made = made.into_iter().flat_map(|(make, range)| {
            let end = range.end;
            range.step_by(MADE).map(move |first| {
                let mut words = vec![0; MADE.min(end - first) / size_of::<u64>()];
                make(first, bytemuck::cast_slice_mut(&mut words));
                Piece::Made(words)
            })
        });
        slices.into_iter().flatten().map(Piece::Slice).chain(made)
    }
}

/// The bytes of a range of slices of one length.
fn slices_of<'a>(
    slices: &'a [&'a [u8]],
    length: usize,
    range: Range<usize>,
) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    let numbers = if range.is_empty() { 0..0 } else { range.start / length..range.end.div_ceil(length) };
    numbers.map(move |number| {
        let first = number * length;
        &slices[number][range.start.max(first) - first..range.end.min(first + length) - first]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(bytes: HostBytes<'_>, range: Range<usize>) -> Vec<u8> {
        let pieces: Vec<_> = bytes.range(range).collect();
        assert!(pieces.iter().all(|piece| !piece.is_empty()));
        pieces.iter().flat_map(|piece| piece.iter().copied()).collect()
    }

    #[test]
    fn a_range_is_that_of_the_bytes_in_one_piece() {
        let all: Vec<u8> = (0..12).collect();
        let slices: Vec<&[u8]> = all.chunks(4).collect();
        let bytes = HostBytes::new(&slices);
        assert_eq!(bytes.len(), 12);
        for start in 0..=12 {
            for end in start..=12 {
                assert_eq!(joined(bytes, start..end), all[start..end], "{start}..{end}");
                let mut read = vec![0; end - start];
                bytes.read(start..end, &mut read);
                assert_eq!(read, all[start..end], "{start}..{end}");
            }
        }
        assert!(HostBytes::new(&[]).is_empty());
        assert!(joined(HostBytes::new(&[&[], &[]]), 0..0).is_empty());
    }

    #[test]
    fn made_bytes_are_the_same_in_pieces_and_at_once() {
        let make = |first: usize, to: &mut [u8]| {
            assert!(to.as_ptr().cast::<u64>().is_aligned());
            to.iter_mut().zip(first..).for_each(|(byte, at)| *byte = (at * at % 251) as u8);
        };
        let bytes = HostBytes::made(2 * MADE + 40, &make);
        let all: Vec<u8> = (0..bytes.len()).map(|at| (at * at % 251) as u8).collect();
        for range in [0..bytes.len(), 8..bytes.len() - 8, 16..16, MADE - 8..MADE + 8] {
            assert_eq!(joined(bytes, range.clone()), all[range.clone()]);
            let mut words = vec![0u64; range.len() / 8];
            bytes.read(range.clone(), bytemuck::cast_slice_mut(&mut words));
            assert_eq!(bytemuck::cast_slice::<_, u8>(&words), &all[range]);
        }
    }
}
