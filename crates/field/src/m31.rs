//! The integers modulo `p = 2^31 - 1`.

use alloc::vec::Vec;

use crate::macros::{field_operators, shown_as_number};
use crate::{CanonicalBytes, Field, PrimeField};

const P: u32 = 0x7FFF_FFFF;

/// An integer mod `2^31 - 1`, stored as its representative in `[0, p)`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct M31(u32);

impl M31 {
    /// `value mod p`.
    #[inline(always)]
    #[must_use]
    pub const fn new(value: u32) -> Self {
        Self::reduce(value as u64)
    }

    /// The representative in `[0, p)`.
    #[inline(always)]
    #[must_use]
    pub const fn value(self) -> u32 {
        self.0
    }

    /// `value mod p` for any 64-bit value: `2^31 = 1`, so the 31-bit digits add up.
    #[inline(always)]
    #[must_use]
    pub const fn reduce(value: u64) -> Self {
        const MASK: u64 = P as u64;
        // Below 2^31 + 2^33, then at most p + 4.
        let value = (value & MASK) + (value >> 31);
        let value = (value & MASK) + (value >> 31);
        Self::below_two_p(value as u32)
    }

    /// `value mod p` for `value < 2p`.
    #[inline(always)]
    const fn below_two_p(value: u32) -> Self {
        // Below p the subtraction wraps to a larger number, so the result is the minimum of the two.
        let reduced = value.wrapping_sub(P);
        Self(if reduced < value { reduced } else { value })
    }

    /// `self + other`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_add(self, other: Self) -> Self {
        Self::below_two_p(self.0.wrapping_add(other.0))
    }

    /// `self - other`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_sub(self, other: Self) -> Self {
        let difference = self.0.wrapping_sub(other.0);
        let raised = difference.wrapping_add(P);
        Self(if raised < difference { raised } else { difference })
    }

    /// `self * other`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_mul(self, other: Self) -> Self {
        // (p - 1)^2 = (2^31 - 4) 2^31 + 4: the high digit is at most p - 3, so the digits add up to less than 2p.
        let product = self.0 as u64 * other.0 as u64;
        Self::below_two_p((product as u32 & P).wrapping_add((product >> 31) as u32))
    }

    /// `-self`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_neg(self) -> Self {
        Self(if self.0 == 0 { 0 } else { P.wrapping_sub(self.0) })
    }
}

field_operators!(M31);
shown_as_number!(M31);

impl Field for M31 {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    #[inline]
    fn is_canonical(&self) -> bool {
        self.0 < P
    }

    /// Fermat: `x^(p-2)`, with `p - 2 = (2^29 - 1) 4 + 1`.
    fn inverse(self) -> Option<Self> {
        if self.is_zero() {
            return None;
        }
        // run(k) = x^(2^k - 1); run(a + b) = run(a)^(2^b) run(b).
        let run2 = self.square() * self;
        let run4 = run2.pow_two_to(2) * run2;
        let run5 = run4.square() * self;
        let run8 = run4.pow_two_to(4) * run4;
        let run16 = run8.pow_two_to(8) * run8;
        let run24 = run16.pow_two_to(8) * run8;
        let run29 = run24.pow_two_to(5) * run5;
        Some(run29.pow_two_to(2) * self)
    }
}

impl PrimeField for M31 {
    const ORDER: u64 = P as u64;

    #[inline(always)]
    fn from_u64(value: u64) -> Self {
        Self::reduce(value)
    }

    #[inline]
    fn from_canonical(value: u64) -> Option<Self> {
        (value < Self::ORDER).then_some(Self(value as u32))
    }

    #[inline(always)]
    fn as_u64(self) -> u64 {
        self.0 as u64
    }
}

impl CanonicalBytes for M31 {
    const BYTES: usize = 4;

    #[inline]
    fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    #[inline]
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        Self::from_canonical(u32::from_le_bytes(bytes.try_into().ok()?) as u64)
    }
}

/// Reduces: `2^32 - 1` is a valid input.
impl From<u32> for M31 {
    #[inline(always)]
    fn from(value: u32) -> Self {
        Self::new(value)
    }
}
