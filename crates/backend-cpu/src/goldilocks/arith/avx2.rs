//! Four lanes in a 256-bit register.
//!
//! AVX2 compares signed lanes only: flipping the top bit of both sides turns that into an unsigned comparison.

use core::arch::x86_64::*;

use super::{EPSILON, P, Packed};

const TOP_BIT: i64 = i64::MIN;

/// Four lazy elements.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256i);

impl Packed for Avx2 {
    const LANES: usize = 4;

    #[inline(always)]
    fn splat_raw(value: u64) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_set1_epi64x(value as i64) })
    }

    #[inline(always)]
    unsafe fn load_raw(source: *const u64) -> Self {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        Self(unsafe { _mm256_loadu_si256(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store_raw(self, target: *mut u64) {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        unsafe { _mm256_storeu_si256(target.cast(), self.0) }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let flipped = _mm256_xor_si256(self.0, _mm256_set1_epi64x(TOP_BIT));
            let last = _mm256_set1_epi64x((P - 1) as i64 ^ TOP_BIT);
            let above = _mm256_cmpgt_epi64(flipped, last);
            // x - p = x + 2^32 - 1 (mod 2^64).
            Self(_mm256_add_epi64(self.0, _mm256_srli_epi64::<32>(above)))
        }
    }

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

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(BITS as i32)) })
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(BITS as i32)) })
    }

    #[inline(always)]
    fn low_times_epsilon(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_mul_epu32(self.0, _mm256_set1_epi64x(EPSILON as i64)) })
    }

    #[inline(always)]
    fn transpose(registers: &mut [Self; 8]) {
        let r = *registers;
        let [a, b, c, d] = transpose4(r[0], r[1], r[2], r[3]);
        let [e, f, g, h] = transpose4(r[4], r[5], r[6], r[7]);
        *registers = [a, b, c, d, e, f, g, h];
    }
}

/// A 4 x 4 transposition: rows in, columns out.
#[inline(always)]
fn transpose4(r0: Avx2, r1: Avx2, r2: Avx2, r3: Avx2) -> [Avx2; 4] {
    // SAFETY: values of this type exist only where `dispatch` checked the instructions.
    unsafe {
        let a0 = _mm256_unpacklo_epi64(r0.0, r1.0);
        let a1 = _mm256_unpackhi_epi64(r0.0, r1.0);
        let a2 = _mm256_unpacklo_epi64(r2.0, r3.0);
        let a3 = _mm256_unpackhi_epi64(r2.0, r3.0);
        [
            Avx2(_mm256_permute2x128_si256::<0x20>(a0, a2)),
            Avx2(_mm256_permute2x128_si256::<0x20>(a1, a3)),
            Avx2(_mm256_permute2x128_si256::<0x31>(a0, a2)),
            Avx2(_mm256_permute2x128_si256::<0x31>(a1, a3)),
        ]
    }
}
