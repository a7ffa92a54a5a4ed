//! Sixteen lanes in a 512-bit register.

use core::arch::x86_64::*;

use super::{Lanes, P};

/// Sixteen u32.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

/// Lanes of [`Lanes::interleave`] and [`Lanes::deinterleave`], the second operand's counted from 16.
const LOW: [u32; 16] = [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23];
const HIGH: [u32; 16] = [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31];
const EVEN: [u32; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
const ODD: [u32; 16] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];

#[inline(always)]
fn pick(a: Avx512, b: Avx512, lanes: &[u32; 16]) -> Avx512 {
    // SAFETY: `dispatch` checked the instructions; sixteen words are read.
    unsafe { Avx512(_mm512_permutex2var_epi32(a.0, _mm512_loadu_si512(lanes.as_ptr().cast()), b.0)) }
}

impl Lanes for Avx512 {
    type Products = __m512i;

    #[inline(always)]
    fn splat(value: u32) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_set1_epi32(value.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        Self(unsafe { _mm512_loadu_si512(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        unsafe { _mm512_storeu_si512(target.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_repeated<const COUNT: usize>(source: *const u32) -> Self {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        unsafe {
            match COUNT {
                1 => Self(_mm512_set1_epi32(source.read().cast_signed())),
                2 => Self(_mm512_set1_epi64(source.cast::<i64>().read_unaligned())),
                4 => Self(_mm512_broadcast_i32x4(_mm_loadu_si128(source.cast()))),
                8 => Self(_mm512_broadcast_i64x4(_mm256_loadu_si256(source.cast()))),
                _ => Self::load(source),
            }
        }
    }

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn wrapping_sub(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_sub_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_min_epu32(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate_right<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            Self(match BITS {
                7 => _mm512_ror_epi32::<7>(self.0),
                8 => _mm512_ror_epi32::<8>(self.0),
                12 => _mm512_ror_epi32::<12>(self.0),
                16 => _mm512_ror_epi32::<16>(self.0),
                _ => _mm512_rorv_epi32(self.0, _mm512_set1_epi32(BITS.cast_signed())),
            })
        }
    }

    #[inline(always)]
    fn odds(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_srli_epi64::<32>(self.0) })
    }

    #[inline(always)]
    fn mul_even(self, other: Self) -> __m512i {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { _mm512_mul_epu32(self.0, other.0) }
    }

    #[inline(always)]
    fn no_products() -> __m512i {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn add_products(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { _mm512_add_epi64(a, b) }
    }

    #[inline(always)]
    fn fold(products: __m512i) -> __m512i {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let low = _mm512_and_si512(products, _mm512_set1_epi64(i64::from(P)));
            _mm512_add_epi64(low, _mm512_srli_epi64::<31>(products))
        }
    }

    #[inline(always)]
    fn join(even: __m512i, odd: __m512i) -> Self {
        let (even, odd) = (Self::fold(even), Self::fold(odd));
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let sum = _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64::<32>(odd));
            Self(_mm512_min_epu32(sum, _mm512_sub_epi32(sum, _mm512_set1_epi32(P.cast_signed()))))
        }
    }

    #[inline(always)]
    fn mul_prepared(self, even: Self, odd: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            // 2ab: the upper word is (ab >> 31), the lower one twice (ab mod 2^31).
            let even = _mm512_mul_epu32(self.0, even.0);
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(self.0), odd.0);
            let low = _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64::<32>(odd));
            let high = _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64::<32>(even), odd);
            let sum = _mm512_add_epi32(_mm512_srli_epi32::<1>(low), high);
            Self(_mm512_min_epu32(sum, _mm512_sub_epi32(sum, _mm512_set1_epi32(P.cast_signed()))))
        }
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        (pick(self, other, &LOW), pick(self, other, &HIGH))
    }

    #[inline(always)]
    fn deinterleave(self, other: Self) -> (Self, Self) {
        (pick(self, other, &EVEN), pick(self, other, &ODD))
    }
}
