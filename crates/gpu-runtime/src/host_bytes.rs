//! What is uploaded: bytes that need not be in one place.

use std::ops::Range;

/// Slices of the host's memory, all of one length, one after the other: the columns of a table.
#[derive(Clone, Copy, Debug)]
pub struct HostBytes<'a> {
    slices: &'a [&'a [u8]],
    length: usize,
}

impl<'a> HostBytes<'a> {
    /// The bytes of these slices.
    ///
    /// # Panics
    /// If their lengths differ.
    pub fn new(slices: &'a [&'a [u8]]) -> Self {
        let length = slices.first().map_or(0, |slice| slice.len());
        assert!(slices.iter().all(|slice| slice.len() == length), "slices of one length");
        Self { slices, length }
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.slices.len() * self.length
    }

    /// Whether there is no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of a range, which is within them, in order.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (slices, length) = (self.slices, self.length);
        let numbers = if range.is_empty() { 0..0 } else { range.start / length..range.end.div_ceil(length) };
        numbers.map(move |number| {
            let first = number * length;
            &slices[number][range.start.max(first) - first..range.end.min(first + length) - first]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_that_of_the_bytes_in_one_piece() {
        let joined: Vec<u8> = (0..12).collect();
        let slices: Vec<&[u8]> = joined.chunks(4).collect();
        let bytes = HostBytes::new(&slices);
        assert_eq!(bytes.len(), 12);
        for start in 0..=12 {
            for end in start..=12 {
                let found: Vec<&[u8]> = bytes.range(start..end).collect();
                assert_eq!(found.concat(), joined[start..end], "{start}..{end}");
                assert!(found.iter().all(|piece| !piece.is_empty()));
            }
        }
        assert!(HostBytes::new(&[]).is_empty());
        assert_eq!(HostBytes::new(&[&[], &[]]).range(0..0).count(), 0);
    }
}
