//! One lane in a general register.

use super::{EPSILON, P, Packed};

/// One lazy element.
#[derive(Clone, Copy)]
pub(crate) struct Portable(u64);

impl Packed for Portable {
    const LANES: usize = 1;

    #[inline(always)]
    fn splat_raw(value: u64) -> Self {
        Self(value)
    }

    #[inline(always)]
    unsafe fn load_raw(source: *const u64) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { source.read() })
    }

    #[inline(always)]
    unsafe fn store_raw(self, target: *mut u64) {
        // SAFETY: the caller's promise.
        unsafe { target.write(self.0) }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        let (reduced, below) = self.0.overflowing_sub(P);
        Self(if below { self.0 } else { reduced })
    }

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

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        Self(self.0 << BITS)
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0 >> BITS)
    }

    #[inline(always)]
    fn low_times_epsilon(self) -> Self {
        let low = self.0 & EPSILON;
        Self((low << 32) - low)
    }

    #[inline(always)]
    fn transpose(_registers: &mut [Self; 8]) {}
}
