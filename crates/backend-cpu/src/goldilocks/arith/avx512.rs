//! Eight lanes in a 512-bit register.

use core::arch::x86_64::*;

use super::{EPSILON, Packed};
use crate::goldilocks::registers::{Avx512, P};

impl Packed for Avx512 {
    #[inline(always)]
    fn add_canonical(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let sum = _mm512_add_epi64(self.0, other.0);
            let carry = _mm512_cmplt_epu64_mask(sum, self.0);
            // 2^64 = -p (mod 2^64 and mod p alike), so a carry is put right by subtracting p.
            let p = _mm512_set1_epi64(P as i64);
            Self(_mm512_mask_sub_epi64(sum, carry, sum, p))
        }
    }

    #[inline(always)]
    fn sub_canonical(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let difference = _mm512_sub_epi64(self.0, other.0);
            let borrow = _mm512_cmplt_epu64_mask(self.0, other.0);
            let p = _mm512_set1_epi64(P as i64);
            Self(_mm512_mask_add_epi64(difference, borrow, difference, p))
        }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let (x, y) = (self.0, other.0);
            let x_high = _mm512_srli_epi64::<32>(x);
            let y_high = _mm512_srli_epi64::<32>(y);
            let low_low = _mm512_mul_epu32(x, y);
            let low_high = _mm512_mul_epu32(x, y_high);
            let high_low = _mm512_mul_epu32(x_high, y);
            let high_high = _mm512_mul_epu32(x_high, y_high);
            // None of these sums overflows: (2^32-1)^2 + 2 (2^32-1) = 2^64 - 1.
            let epsilon = _mm512_set1_epi64(EPSILON as i64);
            let t = _mm512_add_epi64(high_low, _mm512_srli_epi64::<32>(low_low));
            let u = _mm512_add_epi64(low_high, _mm512_and_si512(t, epsilon));
            let high =
                _mm512_add_epi64(_mm512_add_epi64(high_high, _mm512_srli_epi64::<32>(t)), _mm512_srli_epi64::<32>(u));
            // low = (u << 32) | (low_low mod 2^32): odd 32-bit lanes from u.
            let low = _mm512_castps_si512(_mm512_mask_moveldup_ps(
                _mm512_castsi512_ps(low_low),
                0xAAAA,
                _mm512_castsi512_ps(u),
            ));
            // 2^64 high = (2^32 - 1) (high mod 2^32) - (high >> 32).
            let top = Self(_mm512_srli_epi64::<32>(high));
            Self(low).sub_canonical(top).add_canonical(Self(_mm512_mul_epu32(high, epsilon)))
        }
    }
}
