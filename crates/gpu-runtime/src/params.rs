//! Parameter blocks, byte for byte the structs of the kernels: 8-byte fields first or 4-byte ones in pairs, so that no
//! compiler pads.

use field::{ExtensionField, Goldilocks, M31, PrimeField, QM31};

/// A parameter block under construction, in the order of the struct's fields.
#[derive(Clone)]
pub(crate) struct Params(Vec<u8>);

impl Params {
    pub(crate) fn new() -> Self {
        // Most blocks are no longer.
        Self(Vec::with_capacity(64))
    }

    /// A 64-bit field; the fields before fill whole words.
    pub(crate) fn u64(mut self, value: u64) -> Self {
        debug_assert!(self.0.len().is_multiple_of(8), "a 64-bit field at an odd place");
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    /// A 32-bit field.
    pub(crate) fn u32(mut self, value: u32) -> Self {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    /// A base element.
    pub(crate) fn base(self, value: Goldilocks) -> Self {
        self.u64(value.as_u64())
    }

    /// The coordinates of an extension element.
    pub(crate) fn ext<E: ExtensionField<Goldilocks>>(self, value: &E) -> Self {
        value.coordinates().iter().fold(self, |params, coordinate| params.base(*coordinate))
    }

    /// An element of M31.
    pub(crate) fn m31(self, value: M31) -> Self {
        self.u32(value.value())
    }

    /// The coordinates of an element of QM31.
    pub(crate) fn qm31(self, value: &QM31) -> Self {
        value.0.iter().fold(self, |params, coordinate| params.m31(*coordinate))
    }

    /// The bytes, padded to a whole word as the struct is.
    pub(crate) fn bytes(mut self) -> Vec<u8> {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self.0
    }
}

/// The coordinates of an element as words.
pub(crate) fn words<F: PrimeField, E: ExtensionField<F>>(value: &E) -> impl Iterator<Item = u64> {
    value.coordinates().iter().map(|coordinate| coordinate.as_u64())
}
