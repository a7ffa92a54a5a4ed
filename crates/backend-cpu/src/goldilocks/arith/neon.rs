//! Two lanes in a 128-bit register.

use core::arch::aarch64::*;

use super::{EPSILON, Packed, Register};
use crate::goldilocks::registers::Neon;

impl Packed for Neon {
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
}
