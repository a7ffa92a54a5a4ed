//! One lane in a general register.

use super::{EPSILON, Packed, Register};
use crate::goldilocks::registers::Portable;

impl Packed for Portable {
    #[inline(always)]
    fn add_canonical(self, other: Self) -> Self {
        // After a carry the sum is at most self - 2^32 + 1: adding 2^64 mod p can't carry again.
        let (sum, carry) = self.0.overflowing_add(other.0);
        Self(sum.wrapping_add(EPSILON * u64::from(carry)))
    }

    #[inline(always)]
    fn sub_canonical(self, other: Self) -> Self {
        let (difference, borrow) = self.0.overflowing_sub(other.0);
        Self(difference.wrapping_sub(EPSILON * u64::from(borrow)))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let product = u128::from(self.0) * u128::from(other.0);
        let (low, high) = (product as u64, (product >> 64) as u64);
        // 2^64 high = (2^32 - 1) (high mod 2^32) - (high >> 32).
        Self(low).sub_canonical(Self(high >> 32)).add_canonical(Self(high).low_times_epsilon())
    }
}
