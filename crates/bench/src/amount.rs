//! Amounts of work: moved words and computed products.

use std::ops::Add;

/// Work, for instance the least that an operation takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Bytes read from and written to the device's memory.
    pub bytes: f64,
    /// Bytes between host and device.
    pub link_bytes: f64,
    /// Products of the base field.
    pub products: f64,
    /// Permutations `Keccak-f[1600]`.
    pub keccak: f64,
    /// Compressions of Blake2s.
    pub blake2s: f64,
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            link_bytes: self.link_bytes + other.link_bytes,
            products: self.products + other.products,
            keccak: self.keccak + other.keccak,
            blake2s: self.blake2s + other.blake2s,
        }
    }
}
