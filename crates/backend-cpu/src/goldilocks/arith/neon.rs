//! Two lanes in a 128-bit register.

use core::arch::aarch64::*;

use super::{EPSILON, P, Packed};

/// Two lazy elements.
#[derive(Clone, Copy)]
pub(crate) struct Neon(uint64x2_t);

impl Packed for Neon {
    const LANES: usize = 2;

    #[inline(always)]
    fn splat_raw(value: u64) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vdupq_n_u64(value) })
    }

    #[inline(always)]
    unsafe fn load_raw(source: *const u64) -> Self {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        Self(unsafe { vld1q_u64(source) })
    }

    #[inline(always)]
    unsafe fn store_raw(self, target: *mut u64) {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        unsafe { vst1q_u64(target, self.0) }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let p = vdupq_n_u64(P);
            let above = vcgeq_u64(self.0, p);
            Self(vsubq_u64(self.0, vandq_u64(above, p)))
        }
    }

    #[inline(always)]
    fn add_canonical(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let sum = vaddq_u64(self.0, other.0);
            let carry = vcltq_u64(sum, self.0);
            Self(vaddq_u64(sum, vandq_u64(carry, vdupq_n_u64(EPSILON))))
        }
    }

    #[inline(always)]
    fn sub_canonical(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let difference = vsubq_u64(self.0, other.0);
            let borrow = vcltq_u64(self.0, other.0);
            Self(vsubq_u64(difference, vandq_u64(borrow, vdupq_n_u64(EPSILON))))
        }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let (x_low, x_high) = (vmovn_u64(self.0), vshrn_n_u64::<32>(self.0));
            let (y_low, y_high) = (vmovn_u64(other.0), vshrn_n_u64::<32>(other.0));
            let low_low = vmull_u32(x_low, y_low);
            // None of these sums overflows: (2^32-1)^2 + 2 (2^32-1) = 2^64 - 1.
            let t = vmlal_u32(vshrq_n_u64::<32>(low_low), x_high, y_low);
            let u = vmlal_u32(vandq_u64(t, vdupq_n_u64(EPSILON)), x_low, y_high);
            let high = vaddq_u64(vmlal_u32(vshrq_n_u64::<32>(t), x_high, y_high), vshrq_n_u64::<32>(u));
            let low = vsliq_n_u64::<32>(low_low, u);
            // 2^64 high = (2^32 - 1) (high mod 2^32) - (high >> 32).
            Self(low).sub_canonical(Self(vshrq_n_u64::<32>(high))).add_canonical(Self(high).low_times_epsilon())
        }
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vshlq_u64(self.0, vdupq_n_s64(i64::from(BITS))) })
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions. A shift by a negative count goes to the right.
        Self(unsafe { vshlq_u64(self.0, vdupq_n_s64(-i64::from(BITS))) })
    }

    #[inline(always)]
    fn low_times_epsilon(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let low = vmovn_u64(self.0);
            Self(vmull_u32(low, vdup_n_u32(u32::MAX)))
        }
    }

    #[inline(always)]
    fn transpose(registers: &mut [Self; 8]) {
        for pair in registers.chunks_exact_mut(2) {
            let (a, b) = (pair[0].0, pair[1].0);
            // SAFETY: `dispatch` checked the instructions.
            (pair[0], pair[1]) = unsafe { (Self(vzip1q_u64(a, b)), Self(vzip2q_u64(a, b))) };
        }
    }
}
