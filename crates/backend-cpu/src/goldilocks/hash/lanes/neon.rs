//! Two lanes in a 128-bit register.
//!
//! There is no 64-bit vector multiplication; products go through the scalar unit, which has a fast one.

use core::arch::aarch64::*;

use super::Lanes;
use crate::goldilocks::registers::{EPSILON, Neon, Register};

impl Lanes for Neon {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { veorq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { veorq_u64(self.0, vbicq_u64(c.0, b.0)) })
    }

    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Self {
        let left = self.shift_left::<BITS>();
        // SAFETY: `dispatch` checked the instructions. A negative count shifts right; constants become immediates.
        Self(unsafe { vorrq_u64(left.0, vshlq_u64(self.0, vdupq_n_s64(i64::from(BITS) - 64))) })
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(self.0))) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vandq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vaddq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vsubq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vreinterpretq_u64_s64(vshlq_s64(vreinterpretq_s64_u64(self.0), vdupq_n_s64(-i64::from(BITS)))) })
    }

    #[inline(always)]
    fn low_high(self, high: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vorrq_u64(vandq_u64(self.0, vdupq_n_u64(EPSILON)), high.shift_left::<32>().0) })
    }

    #[inline(always)]
    fn wide_mul(self, other: Self) -> (Self, Self) {
        let (x, y) = (self.lanes(), other.lanes());
        let first = u128::from(x[0]) * u128::from(y[0]);
        let second = u128::from(x[1]) * u128::from(y[1]);
        (Self::new([first as u64, second as u64]), Self::new([(first >> 64) as u64, (second >> 64) as u64]))
    }

    #[inline(always)]
    fn wide_square(self) -> (Self, Self) {
        self.wide_mul(self)
    }

    #[inline(always)]
    fn add_fold(self, other: Self) -> Self {
        let sum = self.add(other);
        // SAFETY: `dispatch` checked the instructions.
        let carry = Self(unsafe { vcltq_u64(sum.0, other.0) });
        sum.add(carry.shift_right::<32>())
    }

    #[inline(always)]
    fn sub_fold(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        let borrow = Self(unsafe { vcltq_u64(self.0, other.0) });
        self.sub(other).sub(borrow.shift_right::<32>())
    }
}

impl Neon {
    #[inline(always)]
    fn new(lanes: [u64; 2]) -> Self {
        // SAFETY: the array has two words.
        unsafe { Self::load_raw(lanes.as_ptr()) }
    }

    #[inline(always)]
    fn lanes(self) -> [u64; 2] {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { [vgetq_lane_u64::<0>(self.0), vgetq_lane_u64::<1>(self.0)] }
    }
}
