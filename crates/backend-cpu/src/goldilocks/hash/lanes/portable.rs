//! One lane in plain code.

use super::{DIGEST_WORDS, Lanes};
use crate::goldilocks::registers::{EPSILON, Portable, Register};

impl Lanes for Portable {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(self.0 ^ (!b.0 & c.0))
    }

    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Self {
        Self(self.0.rotate_left(BITS))
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        Self(self.0.swap_bytes())
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    #[inline(always)]
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        Self((self.0.cast_signed() >> BITS).cast_unsigned())
    }

    #[inline(always)]
    fn low_high(self, high: Self) -> Self {
        Self((self.0 & EPSILON) | (high.0 << 32))
    }

    #[inline(always)]
    fn wide_mul(self, other: Self) -> (Self, Self) {
        let product = u128::from(self.0) * u128::from(other.0);
        (Self(product as u64), Self((product >> 64) as u64))
    }

    #[inline(always)]
    fn wide_square(self) -> (Self, Self) {
        self.wide_mul(self)
    }

    #[inline(always)]
    fn add_fold(self, other: Self) -> Self {
        let (sum, carry) = self.0.overflowing_add(other.0);
        Self(sum.wrapping_add(EPSILON * u64::from(carry)))
    }

    #[inline(always)]
    fn sub_fold(self, other: Self) -> Self {
        let (difference, borrow) = self.0.overflowing_sub(other.0);
        Self(difference.wrapping_sub(EPSILON * u64::from(borrow)))
    }

    #[inline(always)]
    unsafe fn store_digests(words: [Self; DIGEST_WORDS], target: *mut u8) {
        // SAFETY: the caller's promise: 32 bytes.
        unsafe {
            words[0].store_raw(target.cast());
            words[1].store_raw(target.add(8).cast());
            words[2].store_raw(target.add(16).cast());
            words[3].store_raw(target.add(24).cast());
        }
    }
}
