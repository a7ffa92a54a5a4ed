//! Operations of every scalar.

use alloc::vec::Vec;
use core::fmt::{Debug, Display};
use core::hash::Hash;
use core::iter::{Product, Sum};
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A finite field. Values are canonical: two equal elements have equal bytes.
pub trait Field:
    Copy
    + Default
    + Eq
    + Hash
    + Debug
    + Display
    + Send
    + Sync
    + 'static
    + bytemuck::Pod
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
    + Product
{
    /// The neutral element of addition.
    const ZERO: Self;
    /// The neutral element of multiplication.
    const ONE: Self;

    /// Whether every coordinate is in `[0, p)`. False only for values made by casting foreign bytes.
    fn is_canonical(&self) -> bool;

    /// `1/self`, or `None` for zero.
    fn inverse(self) -> Option<Self>;

    /// Whether this is zero.
    #[inline]
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// `self * self`.
    #[inline]
    fn square(self) -> Self {
        self * self
    }

    /// `self + self`.
    #[inline]
    fn double(self) -> Self {
        self + self
    }

    /// `self^exponent`; `0^0 = 1`. The time depends on the exponent.
    #[inline]
    fn pow(self, mut exponent: u64) -> Self {
        let mut result = Self::ONE;
        let mut power = self;
        while exponent > 1 {
            if exponent & 1 == 1 {
                result *= power;
            }
            power = power.square();
            exponent >>= 1;
        }
        if exponent == 1 {
            result *= power;
        }
        result
    }

    /// `self^(2^log_exponent)`: `log_exponent` squarings.
    #[inline]
    fn pow_two_to(self, log_exponent: u32) -> Self {
        let mut result = self;
        for _ in 0..log_exponent {
            result = result.square();
        }
        result
    }

    /// `1/self`, with zero mapped to zero.
    #[inline]
    fn inverse_or_zero(self) -> Self {
        self.inverse().unwrap_or(Self::ZERO)
    }
}

/// The integers modulo a prime below `2^64`.
pub trait PrimeField: Field {
    /// The prime `p`.
    const ORDER: u64;

    /// `value mod p`.
    fn from_u64(value: u64) -> Self;

    /// The element with this representative, or `None` if `value >= p`.
    fn from_canonical(value: u64) -> Option<Self>;

    /// The representative in `[0, p)`.
    fn as_u64(self) -> u64;
}

/// A prime field whose multiplicative group has a subgroup of order `2^TWO_ADICITY` that is large enough for NTTs.
pub trait TwoAdicField: PrimeField {
    /// The largest `k` such that `2^k` divides `p - 1`.
    const TWO_ADICITY: u32;

    /// A generator of the whole multiplicative group.
    const GENERATOR: Self;

    /// The fixed root of unity of order `2^bits`. They are compatible:
    /// `two_adic_generator(k) = two_adic_generator(k + j)^(2^j)`.
    ///
    /// # Panics
    /// If `bits > TWO_ADICITY`: there is no such root.
    fn two_adic_generator(bits: u32) -> Self;
}

/// A field that contains `F`, seen as a vector space over it. Every field is its own extension of degree 1.
pub trait ExtensionField<F: Field>:
    Field + From<F> + Add<F, Output = Self> + Sub<F, Output = Self> + Mul<F, Output = Self>
{
    /// The dimension over `F`.
    const DEGREE: usize;

    /// The `DEGREE` coordinates: `c0, c1, c2` for `Fp3`, `a, b, c, d` for `QM31` (`(a + bi) + (c + di)u`).
    fn coordinates(&self) -> &[F];

    /// The element with these coordinates, or `None` if there are not exactly `DEGREE` of them.
    fn from_coordinates(coordinates: &[F]) -> Option<Self>;

    /// The element whose coordinate `index` is one and whose others are zero.
    ///
    /// # Panics
    /// If `index >= DEGREE`.
    fn basis(index: usize) -> Self;

    /// The element of `F` that this is, or `None` if a coordinate other than the first is not zero.
    #[inline]
    fn as_base(&self) -> Option<F> {
        let (first, rest) = self.coordinates().split_first()?;
        rest.iter().all(F::is_zero).then_some(*first)
    }
}

/// The byte encoding that the protocol hashes and absorbs: big-endian `u64`s for Goldilocks, little-endian `u32`s for
/// Mersenne-31; coordinates in order, nothing between them.
pub trait CanonicalBytes: Sized {
    /// The length of an encoding in bytes.
    const BYTES: usize;

    /// Appends exactly [`Self::BYTES`] bytes.
    fn write_bytes(&self, out: &mut Vec<u8>);

    /// The element with this encoding, or `None` if the length is not [`Self::BYTES`] or a coordinate is not below
    /// the prime.
    fn read_bytes(bytes: &[u8]) -> Option<Self>;
}
