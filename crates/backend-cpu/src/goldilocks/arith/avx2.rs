//! Four lanes in a 256-bit register.
//!
//! AVX2 compares signed lanes only: flipping the top bit of both sides turns that into an unsigned comparison.

use core::arch::x86_64::*;

use super::{EPSILON, Packed};
use crate::goldilocks::registers::Avx2;

const TOP_BIT: i64 = i64::MIN;

impl Packed for Avx2 {
    #[inline(always)]
    fn add_canonical(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let top = _mm256_set1_epi64x(TOP_BIT);
            let flipped = _mm256_xor_si256(self.0, top);
            // Flipped as well: (self ^ top) + other = (self + other) ^ top.
            let sum = _mm256_add_epi64(flipped, other.0);
            let carry = _mm256_cmpgt_epi64(flipped, sum);
            let fixed = _mm256_add_epi64(sum, _mm256_srli_epi64::<32>(carry));
            Self(_mm256_xor_si256(fixed, top))
        }
    }

    #[inline(always)]
    fn sub_canonical(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let top = _mm256_set1_epi64x(TOP_BIT);
            let x = _mm256_xor_si256(self.0, top);
            let y = _mm256_xor_si256(other.0, top);
            let borrow = _mm256_cmpgt_epi64(y, x);
            let difference = _mm256_sub_epi64(self.0, other.0);
            Self(_mm256_sub_epi64(difference, _mm256_srli_epi64::<32>(borrow)))
        }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let (x, y) = (self.0, other.0);
            let x_high = _mm256_srli_epi64::<32>(x);
            let y_high = _mm256_srli_epi64::<32>(y);
            let low_low = _mm256_mul_epu32(x, y);
            let low_high = _mm256_mul_epu32(x, y_high);
            let high_low = _mm256_mul_epu32(x_high, y);
            let high_high = _mm256_mul_epu32(x_high, y_high);
            // None of these sums overflows: (2^32-1)^2 + 2 (2^32-1) = 2^64 - 1.
            let epsilon = _mm256_set1_epi64x(EPSILON as i64);
            let t = _mm256_add_epi64(high_low, _mm256_srli_epi64::<32>(low_low));
            let u = _mm256_add_epi64(low_high, _mm256_and_si256(t, epsilon));
            let high =
                _mm256_add_epi64(_mm256_add_epi64(high_high, _mm256_srli_epi64::<32>(t)), _mm256_srli_epi64::<32>(u));
            let low = _mm256_blend_epi32::<0xAA>(low_low, _mm256_slli_epi64::<32>(u));
            // 2^64 high = (2^32 - 1) (high mod 2^32) - (high >> 32). The first step takes a small number off low in
            // the flipped form, so that the second need not flip again.
            let top_bit = _mm256_set1_epi64x(TOP_BIT);
            let flipped = _mm256_xor_si256(low, top_bit);
            let less = _mm256_sub_epi64(flipped, _mm256_srli_epi64::<32>(high));
            let borrow = _mm256_cmpgt_epi64(less, flipped);
            let less = _mm256_sub_epi64(less, _mm256_srli_epi64::<32>(borrow));
            let sum = _mm256_add_epi64(less, _mm256_mul_epu32(high, epsilon));
            let carry = _mm256_cmpgt_epi64(less, sum);
            let sum = _mm256_add_epi64(sum, _mm256_srli_epi64::<32>(carry));
            Self(_mm256_xor_si256(sum, top_bit))
        }
    }
}
