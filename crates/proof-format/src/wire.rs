//! Integers, strings and lists on the wire: the parts of files, and of the proofs of Goldilocks.
//!
//! An integer is written in its shortest form (`docs/protocol/goldilocks.md`, section 12): below 251 one byte, else
//! `FB`, `FC` or `FD` and 2, 4 or 8 bytes, little-endian. The reader refuses every other form, so that a value has
//! exactly one encoding.

use alloc::vec::Vec;

pub use crate::decode_error::{DecodeError, DecodeErrorKind};

/// Appends an integer in its shortest form.
pub fn put_int(out: &mut Vec<u8>, value: u64) {
    match value {
        0..=250 => out.push(value as u8),
        251..=0xFFFF => {
            out.push(0xFB);
            out.extend_from_slice(&(value as u16).to_le_bytes());
        }
        0x1_0000..=0xFFFF_FFFF => {
            out.push(0xFC);
            out.extend_from_slice(&(value as u32).to_le_bytes());
        }
        _ => {
            out.push(0xFD);
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
}

/// Appends a length.
pub fn put_len(out: &mut Vec<u8>, length: usize) {
    put_int(out, length as u64);
}

/// Appends a byte string with its length.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Reads items from the front of a byte string. Never panics; never allocates more than a small multiple of the
/// remaining bytes.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    input: &'a [u8],
    offset: usize,
}

/// The result of reading.
pub type Result<T> = core::result::Result<T, DecodeError>;

impl<'a> Reader<'a> {
    /// A reader of the whole input.
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, offset: 0 }
    }

    /// How much was read.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The bytes that are not read yet.
    pub fn rest(&self) -> &'a [u8] {
        &self.input[self.offset..]
    }

    fn remaining(&self) -> usize {
        self.rest().len()
    }

    /// The error that the next item takes `length` bytes, which are not all there.
    fn truncated(&self, length: u64) -> DecodeError {
        let missing = length.saturating_sub(self.remaining() as u64);
        DecodeError { offset: self.offset, kind: DecodeErrorKind::Truncated { end: self.input.len(), missing } }
    }

    /// The next bytes.
    ///
    /// # Errors
    /// If there are not as many; as for all items, the error says where.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let bytes = self.rest().get(..length).ok_or_else(|| self.truncated(length as u64))?;
        self.offset += length;
        Ok(bytes)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = *self.rest().first_chunk().ok_or_else(|| self.truncated(N as u64))?;
        self.offset += N;
        Ok(bytes)
    }

    /// An integer in its shortest form.
    ///
    /// # Errors
    /// If it is none.
    pub fn int(&mut self) -> Result<u64> {
        let start = self.offset;
        let fail = |kind| Err(DecodeError { offset: start, kind });
        let [tag] = self.array()?;
        let (value, least) = match tag {
            0..=250 => return Ok(u64::from(tag)),
            0xFB => (u64::from(u16::from_le_bytes(self.array()?)), 251),
            0xFC => (u64::from(u32::from_le_bytes(self.array()?)), 0x1_0000),
            0xFD => (u64::from_le_bytes(self.array()?), 0x1_0000_0000),
            tag => return fail(DecodeErrorKind::IntegerTag(tag)),
        };
        if value < least {
            return fail(DecodeErrorKind::LongInteger);
        }
        Ok(value)
    }

    /// The length of a list whose items take at least `least` bytes each: refused if the rest of the input cannot hold
    /// it.
    ///
    /// # Errors
    /// If it is no integer, or too large.
    pub fn len(&mut self, least: usize) -> Result<usize> {
        let offset = self.offset;
        let length = self.int()?;
        match usize::try_from(length) {
            Ok(fits) if fits <= self.remaining() / least.max(1) => Ok(fits),
            _ => Err(DecodeError { offset, kind: DecodeErrorKind::ListLength(length) }),
        }
    }

    /// A byte string with its length before it.
    ///
    /// # Errors
    /// If it is none.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.int()?;
        match usize::try_from(length) {
            Ok(length) => self.take(length),
            Err(_) => Err(self.truncated(length)),
        }
    }

    /// A list of items that take at least `least` bytes each.
    ///
    /// # Errors
    /// If the list or an item is none.
    pub fn list<T>(&mut self, least: usize, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.list_of(None, least, item)
    }

    /// A list as in [`Self::list`], of at most `most` items.
    ///
    /// # Errors
    /// If the list or an item is none, or there are more.
    pub fn short_list<T>(
        &mut self,
        most: usize,
        least: usize,
        item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let offset = self.offset;
        let length = self.int()?;
        if length > most as u64 {
            return Err(DecodeError { offset, kind: DecodeErrorKind::Range(length) });
        }
        self.offset = offset;
        self.list(least, item)
    }

    /// A list as in [`Self::list`], of `count` items if that is known.
    ///
    /// # Errors
    /// If the list or an item is none, or there are more or fewer.
    pub fn list_of<T>(
        &mut self,
        count: Option<usize>,
        least: usize,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let offset = self.offset;
        let length = self.len(least)?;
        if let Some(expected) = count.filter(|count| *count != length) {
            return Err(DecodeError { offset, kind: DecodeErrorKind::Count { expected, found: length } });
        }
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// So many items of `size` bytes each, with no number before them.
    ///
    /// # Errors
    /// If an item is none, or the rest of the input cannot hold them.
    pub fn items<T>(&mut self, count: usize, size: usize, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        if count > self.remaining() / size.max(1) {
            return Err(self.truncated((count as u64).saturating_mul(size as u64)));
        }
        let mut item = item;
        (0..count).map(|_| item(self)).collect()
    }

    /// An item that may be missing.
    ///
    /// # Errors
    /// If it is none.
    pub fn option<T>(&mut self, item: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        let offset = self.offset;
        match self.array()? {
            [0] => Ok(None),
            [1] => item(self).map(Some),
            [tag] => Err(DecodeError { offset, kind: DecodeErrorKind::OptionTag(tag) }),
        }
    }

    /// An option that must be empty.
    ///
    /// # Errors
    /// If it is none, or not empty.
    pub fn none(&mut self) -> Result<()> {
        let offset = self.offset;
        match self.option(|_| Ok(()))? {
            None => Ok(()),
            Some(()) => Err(DecodeError { offset, kind: DecodeErrorKind::NotNone }),
        }
    }

    /// A byte.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn byte(&mut self) -> Result<u8> {
        self.array().map(|[byte]| byte)
    }

    /// The end of the input.
    ///
    /// # Errors
    /// If bytes are left.
    pub fn end(self) -> Result<()> {
        if self.remaining() == 0 {
            Ok(())
        } else {
            Err(DecodeError { offset: self.offset, kind: DecodeErrorKind::TrailingBytes })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_is_no_longer_than_it_may_be() {
        let mut out = Vec::new();
        put_len(&mut out, 3);
        out.extend([1, 2, 3]);
        let read = |most| Reader::new(&out).short_list(most, 1, Reader::byte);
        assert_eq!(read(3).expect("three bytes"), [1, 2, 3]);
        let error = read(2).expect_err("one too many");
        assert_eq!((error.offset, error.kind), (0, DecodeErrorKind::Range(3)));
    }
}
