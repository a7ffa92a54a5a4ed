//! Bytes of messages between a run and the process of its hints: a length of 4 bytes, and so many bytes. Numbers are
//! little-endian, felts 32 bytes, the most significant first.

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use num_bigint::{BigInt, BigUint};

/// Bytes of a message at most.
pub(super) const MAX_MESSAGE: usize = 1 << 24;
/// Bytes of the length before a message.
pub(super) const LENGTH: usize = 4;

/// Bytes that are no message, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) &'static str);

/// A message that is written.
#[derive(Debug)]
pub(super) struct Writer(Vec<u8>);

/// A message that is read.
#[derive(Debug)]
pub(super) struct Reader<'a>(&'a [u8]);

/// The length of the message that follows.
pub(super) fn length(bytes: [u8; LENGTH]) -> Result<usize, Malformed> {
    let length = u32::from_le_bytes(bytes) as usize;
    if length > MAX_MESSAGE { Err(Malformed("a message is too long")) } else { Ok(length) }
}

impl Writer {
    /// A message of a kind.
    pub(super) fn new(kind: u8) -> Self {
        let mut bytes = vec![0; LENGTH];
        bytes.push(kind);
        Self(bytes)
    }

    /// The message with its length.
    ///
    /// # Errors
    /// It is too long.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, Malformed> {
        let bytes = u32::try_from(self.0.len() - LENGTH).map_err(|_| Malformed("a message is too long"))?.to_le_bytes();
        length(bytes)?;
        self.0[..LENGTH].copy_from_slice(&bytes);
        Ok(self.0)
    }

    pub(super) fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    pub(super) fn u64(mut self, number: u64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    /// How many values follow, or bytes.
    pub(super) fn count(self, count: usize) -> Self {
        self.u64(count as u64)
    }

    pub(super) fn bytes(self, bytes: &[u8]) -> Self {
        let mut written = self.count(bytes.len());
        written.0.extend(bytes);
        written
    }

    pub(super) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub(super) fn optional_text(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.byte(1).text(text),
            None => self.byte(0),
        }
    }

    pub(super) fn number(self, number: &BigInt) -> Self {
        self.bytes(&number.to_signed_bytes_le())
    }

    pub(super) fn optional_number(self, number: Option<&BigInt>) -> Self {
        match number {
            Some(number) => self.byte(1).number(number),
            None => self.byte(0),
        }
    }

    pub(super) fn felt(mut self, felt: &Felt252) -> Self {
        self.0.extend(felt.to_bytes_be());
        self
    }

    pub(super) fn place(self, place: Relocatable) -> Self {
        self.u64(place.segment_index as u64).u64(place.offset as u64)
    }

    pub(super) fn cell(self, cell: &MaybeRelocatable) -> Self {
        match cell {
            MaybeRelocatable::Int(felt) => self.byte(0).felt(felt),
            MaybeRelocatable::RelocatableValue(place) => self.byte(1).place(*place),
        }
    }

    /// Values, by the function that writes one.
    pub(super) fn list<T>(self, items: &[T], write: impl Fn(Self, &T) -> Self) -> Self {
        items.iter().fold(self.count(items.len()), write)
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self(message)
    }

    /// All of it was read.
    pub(super) fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("a message has bytes behind its end")) }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed("a message ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]| byte)
    }

    /// 0 or 1.
    pub(super) fn flag(&mut self) -> Result<bool, Malformed> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("a flag is neither 0 nor 1")),
        }
    }

    pub(super) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number of things that are in memory.
    pub(super) fn index(&mut self) -> Result<usize, Malformed> {
        usize::try_from(self.u64()?).map_err(|_| Malformed("a number is too large"))
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.index()?;
        self.take(count)
    }

    pub(super) fn text(&mut self) -> Result<String, Malformed> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| Malformed("a text is no UTF-8"))?;
        Ok(text.to_owned())
    }

    pub(super) fn optional_text(&mut self) -> Result<Option<String>, Malformed> {
        if self.flag()? { self.text().map(Some) } else { Ok(None) }
    }

    pub(super) fn number(&mut self) -> Result<BigInt, Malformed> {
        self.bytes().map(BigInt::from_signed_bytes_le)
    }

    pub(super) fn optional_number(&mut self) -> Result<Option<BigInt>, Malformed> {
        if self.flag()? { self.number().map(Some) } else { Ok(None) }
    }

    pub(super) fn felt(&mut self) -> Result<Felt252, Malformed> {
        let number = BigUint::from_bytes_be(&self.array::<32>()?);
        if number < Felt252::prime() { Ok(number.into()) } else { Err(Malformed("a felt is not below the prime")) }
    }

    pub(super) fn place(&mut self) -> Result<Relocatable, Malformed> {
        let (segment, offset) = (self.u64()? as i64, self.u64()?);
        let out = Malformed("an address is out of all segments");
        if segment.unsigned_abs() >= 1 << 31 || offset >= 1 << 62 {
            return Err(out);
        }
        let (segment, offset) = (isize::try_from(segment), usize::try_from(offset));
        Ok(Relocatable { segment_index: segment.map_err(|_| out)?, offset: offset.map_err(|_| out)? })
    }

    pub(super) fn cell(&mut self) -> Result<MaybeRelocatable, Malformed> {
        if self.flag()? { self.place().map(Into::into) } else { self.felt().map(Into::into) }
    }

    /// Values of `least` bytes and more each, by the function that reads one.
    pub(super) fn list<T>(
        &mut self,
        least: usize,
        read: impl Fn(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.index()?;
        if count > self.0.len() / least {
            return Err(Malformed("a list is longer than its message"));
        }
        (0..count).map(|_| read(self)).collect()
    }
}
