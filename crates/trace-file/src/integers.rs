//! Integers of files as elements of a field.

use std::marker::PhantomData;
use std::sync::Arc;

use air::Cells;
use bytes::Bytes;
use field::PrimeField;

use crate::TraceFileError;

/// A type of integers that files have: little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integers {
    /// Bytes of each: 1, 2, 4 or 8.
    pub(crate) width: usize,
    /// Two's complement.
    pub(crate) signed: bool,
}

impl Integers {
    /// The integer in the first bytes.
    fn value(self, bytes: &[u8]) -> i128 {
        let mut word = [0; 8];
        word[..self.width].copy_from_slice(&bytes[..self.width]);
        let shift = 64 - 8 * self.width as u32;
        if self.signed {
            i128::from((i64::from_le_bytes(word) << shift) >> shift)
        } else {
            i128::from(u64::from_le_bytes(word))
        }
    }

    fn element<F: PrimeField>(self, bytes: &[u8], column: usize, row: usize) -> Result<F, TraceFileError> {
        let value = self.value(bytes);
        let element = u64::try_from(value).ok().and_then(F::from_canonical);
        element.ok_or(TraceFileError::Value { column, row, value, largest: F::ORDER - 1 })
    }

    /// Whether bytes of such integers that are elements are the elements' own bytes.
    fn is_like<F: PrimeField>(self, bytes: &[u8]) -> bool {
        cfg!(target_endian = "little")
            && bytemuck::try_cast_slice::<u8, F>(bytes).is_ok()
            && self.width == size_of::<F>()
    }

    /// Column number `column`, whose integers lie one after the other in these pieces: shared with them if it can be,
    /// else copied.
    pub(crate) fn column<F: PrimeField>(self, pieces: &[Bytes], column: usize) -> Result<Cells<F>, TraceFileError> {
        match pieces {
            [only] if self.is_like::<F>(only) => {
                for (row, bytes) in only.chunks_exact(self.width).enumerate() {
                    self.element::<F>(bytes, column, row)?;
                }
                Ok(Cells::shared(Arc::new(Held { bytes: only.clone(), of: PhantomData })))
            }
            pieces => {
                let bytes = pieces.iter().flat_map(|piece| piece.chunks_exact(self.width));
                self.copied(bytes, pieces.iter().map(|piece| piece.len() / self.width).sum(), column)
            }
        }
    }

    /// A column of `rows` integers that are anywhere.
    pub(crate) fn copied<'a, F: PrimeField>(
        self,
        integers: impl Iterator<Item = &'a [u8]>,
        rows: usize,
        column: usize,
    ) -> Result<Cells<F>, TraceFileError> {
        let mut values = Vec::new();
        values.try_reserve_exact(rows).map_err(|_| TraceFileError::Memory { rows })?;
        for (row, bytes) in integers.enumerate() {
            values.push(self.element(bytes, column, row)?);
        }
        Ok(Cells::from(values))
    }
}

/// Bytes that are elements of `F`.
struct Held<F> {
    bytes: Bytes,
    of: PhantomData<F>,
}

impl<F: PrimeField> AsRef<[F]> for Held<F> {
    fn as_ref(&self) -> &[F] {
        // The constructor has checked that they can be cast: they do not move.
        bytemuck::cast_slice(&self.bytes)
    }
}
