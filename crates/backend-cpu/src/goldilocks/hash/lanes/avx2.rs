//! Four lanes in a 256-bit register.

use core::arch::x86_64::*;

use super::Lanes;
use crate::goldilocks::registers::{Avx2, EPSILON, Register};

impl Lanes for Avx2 {
    #[inline(always)]
    unsafe fn load_every<const STRIDE: usize>(source: *const u64, offset: usize) -> Self {
        // SAFETY: the caller's promise: 4 STRIDE words, offset < STRIDE; `dispatch` checked the instructions.
        unsafe {
            match STRIDE {
                1 => Self::load_raw(source),
                2 => {
                    let (a, b) = (Self::load_raw(source), Self::load_raw(source.add(4)));
                    // a0 b0 a2 b2, or the odd ones; then the middle two change places.
                    let pairs =
                        if offset == 0 { _mm256_unpacklo_epi64(a.0, b.0) } else { _mm256_unpackhi_epi64(a.0, b.0) };
                    Self(_mm256_permute4x64_epi64::<0xD8>(pairs))
                }
                _ => {
                    let word = |lane: usize| source.add(lane * STRIDE + offset).read_unaligned().cast_signed();
                    Self(_mm256_setr_epi64x(word(0), word(1), word(2), word(3)))
                }
            }
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_andnot_si256(b.0, c.0)) })
    }

    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            // Whole bytes move in one shuffle. A constant count becomes an immediate.
            if BITS == 8 {
                let order = _mm_setr_epi8(7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14);
                return Self(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order)));
            }
            if BITS == 56 {
                let order = _mm_setr_epi8(1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8);
                return Self(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order)));
            }
            let left = _mm256_sll_epi64(self.0, _mm_cvtsi64_si128(i64::from(BITS)));
            let right = _mm256_srl_epi64(self.0, _mm_cvtsi64_si128(i64::from(64 - BITS)));
            Self(_mm256_or_si256(left, right))
        }
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let order = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
            Self(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order)))
        }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            // There is no signed 64-bit shift: shift x + 2^63, which is not negative, and take 2^63 >> BITS off.
            let bias = _mm256_set1_epi64x(i64::MIN);
            let shifted = Self(_mm256_xor_si256(self.0, bias)).shift_right::<BITS>();
            shifted.sub(Self(bias).shift_right::<BITS>())
        }
    }

    #[inline(always)]
    fn low_high(self, high: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm256_blend_epi32::<0xAA>(self.0, _mm256_slli_epi64::<32>(high.0)) })
    }

    #[inline(always)]
    fn wide_mul(self, other: Self) -> (Self, Self) {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let (x, y) = (self.0, other.0);
            let (x_high, y_high) = (_mm256_srli_epi64::<32>(x), _mm256_srli_epi64::<32>(y));
            let low_low = _mm256_mul_epu32(x, y);
            let low_high = _mm256_mul_epu32(x, y_high);
            let high_low = _mm256_mul_epu32(x_high, y);
            let high_high = _mm256_mul_epu32(x_high, y_high);
            // No sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
            let t = _mm256_add_epi64(high_low, _mm256_srli_epi64::<32>(low_low));
            let u = _mm256_add_epi64(low_high, _mm256_and_si256(t, _mm256_set1_epi64x(EPSILON as i64)));
            let high = _mm256_add_epi64(high_high, _mm256_srli_epi64::<32>(t));
            let high = _mm256_add_epi64(high, _mm256_srli_epi64::<32>(u));
            (Self(low_low).low_high(Self(u)), Self(high))
        }
    }

    #[inline(always)]
    fn wide_square(self) -> (Self, Self) {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let x = self.0;
            let x_high = _mm256_srli_epi64::<32>(x);
            let low_low = _mm256_mul_epu32(x, x);
            let cross = _mm256_mul_epu32(x, x_high);
            let high_high = _mm256_mul_epu32(x_high, x_high);
            // x^2 = low_low + 2^33 cross + 2^64 high_high; no sum but the low one wraps.
            let low = _mm256_add_epi64(low_low, _mm256_slli_epi64::<33>(cross));
            let t = _mm256_add_epi64(cross, _mm256_srli_epi64::<33>(low_low));
            let high = _mm256_add_epi64(high_high, _mm256_srli_epi64::<31>(t));
            (Self(low), Self(high))
        }
    }

    #[inline(always)]
    fn add_fold(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let sum = _mm256_add_epi64(self.0, other.0);
            let carry = less_than(sum, other.0);
            Self(_mm256_add_epi64(sum, _mm256_srli_epi64::<32>(carry)))
        }
    }

    #[inline(always)]
    fn sub_fold(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let difference = _mm256_sub_epi64(self.0, other.0);
            let borrow = less_than(self.0, other.0);
            Self(_mm256_sub_epi64(difference, _mm256_srli_epi64::<32>(borrow)))
        }
    }
}

/// All ones where `x < y`, unsigned.
#[inline]
#[target_feature(enable = "avx2")]
fn less_than(x: __m256i, y: __m256i) -> __m256i {
    let sign = _mm256_set1_epi64x(i64::MIN);
    _mm256_cmpgt_epi64(_mm256_xor_si256(y, sign), _mm256_xor_si256(x, sign))
}
