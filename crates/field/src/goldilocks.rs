//! The integers modulo `p = 2^64 - 2^32 + 1`.
//!
//! Reduction uses `2^64 = 2^32 - 1` and `2^96 = -1` (mod p).

use alloc::vec::Vec;

use crate::macros::{field_operators, shown_as_number};
use crate::{CanonicalBytes, Field, PrimeField, TwoAdicField};

/// `2^64 mod p`.
const EPSILON: u64 = 0xFFFF_FFFF;
const P: u64 = 0xFFFF_FFFF_0000_0001;

/// An integer mod `2^64 - 2^32 + 1`, stored as its representative in `[0, p)`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Goldilocks(u64);

impl Goldilocks {
    /// The protocol's root of unity of order `2^32`.
    pub const TWO_ADIC_ROOT: Self = Self(1_753_635_133_440_165_772);

    /// `value mod p`.
    #[inline(always)]
    #[must_use]
    pub const fn new(value: u64) -> Self {
        // 2^64 < 2p, so one subtraction is enough.
        let (reduced, below) = value.overflowing_sub(P);
        Self(if below { value } else { reduced })
    }

    /// The representative in `[0, p)`.
    #[inline(always)]
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }

    /// `value mod p` for any 128-bit value.
    #[inline(always)]
    #[must_use]
    pub const fn from_u128(value: u128) -> Self {
        let low = value as u64;
        let high = (value >> 64) as u64;
        let (middle, top) = (high & EPSILON, high >> 32);
        // value = low + 2^64 middle + 2^96 top = low - top + EPSILON middle.
        // On a borrow the true value is 2^64 less than the stored one: take EPSILON off. It can't borrow again,
        // because the stored value is then at least 2^64 - 2^32 + 1.
        let (difference, borrow) = low.overflowing_sub(top);
        let difference = difference.wrapping_sub(EPSILON * borrow as u64);
        // EPSILON * middle <= 2^64 - 2^33 + 1, so after a carry the sum is at most 2^64 - 2^33 and EPSILON still fits.
        let (sum, carry) = difference.overflowing_add((middle << 32) - middle);
        Self::new(sum.wrapping_add(EPSILON * carry as u64))
    }

    /// `self + other`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_add(self, other: Self) -> Self {
        // a + b - p = a - (p - b); a borrow means that a + b < p, and adding p is taking EPSILON off mod 2^64.
        let (sum, borrow) = self.0.overflowing_sub(P.wrapping_sub(other.0));
        Self(sum.wrapping_sub(EPSILON * borrow as u64))
    }

    /// `self - other`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_sub(self, other: Self) -> Self {
        let (difference, borrow) = self.0.overflowing_sub(other.0);
        Self(difference.wrapping_sub(EPSILON * borrow as u64))
    }

    /// `self * other`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_mul(self, other: Self) -> Self {
        Self::from_u128(self.0 as u128 * other.0 as u128)
    }

    /// `-self`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_neg(self) -> Self {
        Self(if self.0 == 0 { 0 } else { P.wrapping_sub(self.0) })
    }
}

field_operators!(Goldilocks);
shown_as_number!(Goldilocks);

impl Field for Goldilocks {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    #[inline]
    fn is_canonical(&self) -> bool {
        self.0 < P
    }

    /// Fermat: `x^(p-2)`, with `p - 2 = (2^31 - 1) 2^33 + (2^32 - 1)`.
    fn inverse(self) -> Option<Self> {
        if self.is_zero() {
            return None;
        }
        // run(k) = x^(2^k - 1); run(a + b) = run(a)^(2^b) run(b).
        let run2 = self.square() * self;
        let run3 = run2.square() * self;
        let run6 = run3.pow_two_to(3) * run3;
        let run12 = run6.pow_two_to(6) * run6;
        let run24 = run12.pow_two_to(12) * run12;
        let run30 = run24.pow_two_to(6) * run6;
        let run31 = run30.square() * self;
        let run32 = run31.square() * self;
        Some(run31.pow_two_to(33) * run32)
    }
}

impl PrimeField for Goldilocks {
    const ORDER: u64 = P;

    #[inline(always)]
    fn from_u64(value: u64) -> Self {
        Self::new(value)
    }

    #[inline]
    fn from_canonical(value: u64) -> Option<Self> {
        (value < P).then_some(Self(value))
    }

    #[inline(always)]
    fn as_u64(self) -> u64 {
        self.0
    }
}

impl TwoAdicField for Goldilocks {
    const TWO_ADICITY: u32 = 32;
    const GENERATOR: Self = Self(7);

    /// `omega^(2^(32 - bits))` with `omega = 1753635133440165772`.
    fn two_adic_generator(bits: u32) -> Self {
        assert!(
            bits <= Self::TWO_ADICITY,
            "Goldilocks has no root of unity of order 2^{bits}; the largest power of two is 2^32"
        );
        Self::TWO_ADIC_ROOT.pow_two_to(Self::TWO_ADICITY - bits)
    }
}

impl CanonicalBytes for Goldilocks {
    const BYTES: usize = 8;

    #[inline]
    fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_be_bytes());
    }

    #[inline]
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        Self::from_canonical(u64::from_be_bytes(bytes.try_into().ok()?))
    }
}

/// Reduces: `2^64 - 1` is a valid input.
impl From<u64> for Goldilocks {
    #[inline(always)]
    fn from(value: u64) -> Self {
        Self::new(value)
    }
}

impl From<u32> for Goldilocks {
    #[inline(always)]
    fn from(value: u32) -> Self {
        Self(value as u64)
    }
}
