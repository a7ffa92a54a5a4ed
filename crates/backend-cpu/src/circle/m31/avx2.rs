//! Sixteen lanes in two 256-bit registers.

use core::arch::x86_64::*;

use super::{Lanes, P};

/// Sixteen u32.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256i, __m256i);

/// Eight u64: the products of the even lanes.
#[derive(Clone, Copy)]
pub(crate) struct Products(__m256i, __m256i);

#[inline(always)]
fn fold(x: __m256i) -> __m256i {
    // SAFETY: `dispatch` checked the instructions.
    unsafe { _mm256_add_epi64(_mm256_and_si256(x, _mm256_set1_epi64x(i64::from(P))), _mm256_srli_epi64::<31>(x)) }
}

#[inline(always)]
fn join(even: __m256i, odd: __m256i) -> __m256i {
    // SAFETY: `dispatch` checked the instructions.
    unsafe {
        let sum = _mm256_blend_epi32::<0xAA>(fold(even), _mm256_slli_epi64::<32>(fold(odd)));
        _mm256_min_epu32(sum, _mm256_sub_epi32(sum, _mm256_set1_epi32(P.cast_signed())))
    }
}

#[inline(always)]
fn mul(x: __m256i, even: __m256i, odd: __m256i) -> __m256i {
    // SAFETY: `dispatch` checked the instructions.
    unsafe {
        // 2ab: the upper word is (ab >> 31), the lower one twice (ab mod 2^31).
        let even = _mm256_mul_epu32(x, even);
        let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(x), odd);
        let low = _mm256_blend_epi32::<0xAA>(even, _mm256_slli_epi64::<32>(odd));
        let high = _mm256_blend_epi32::<0xAA>(_mm256_srli_epi64::<32>(even), odd);
        let sum = _mm256_add_epi32(_mm256_srli_epi32::<1>(low), high);
        _mm256_min_epu32(sum, _mm256_sub_epi32(sum, _mm256_set1_epi32(P.cast_signed())))
    }
}

#[inline(always)]
fn rotate<const BITS: u32>(x: __m256i) -> __m256i {
    // SAFETY: `dispatch` checked the instructions.
    unsafe {
        let right = _mm256_srlv_epi32(x, _mm256_set1_epi32(BITS.cast_signed()));
        _mm256_or_si256(right, _mm256_sllv_epi32(x, _mm256_set1_epi32((32 - BITS).cast_signed())))
    }
}

#[inline(always)]
fn interleave(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    // SAFETY: `dispatch` checked the instructions.
    unsafe {
        let (low, high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        (_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high))
    }
}

#[inline(always)]
fn deinterleave(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    // SAFETY: `dispatch` checked the instructions.
    unsafe {
        let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        let even = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b));
        let odd = _mm256_castps_si256(_mm256_shuffle_ps::<0xDD>(a, b));
        (_mm256_permute4x64_epi64::<0xD8>(even), _mm256_permute4x64_epi64::<0xD8>(odd))
    }
}

impl Lanes for Avx2 {
    type Products = Products;

    #[inline(always)]
    fn splat(value: u32) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        let lanes = unsafe { _mm256_set1_epi32(value.cast_signed()) };
        Self(lanes, lanes)
    }

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        unsafe { Self(_mm256_loadu_si256(source.cast()), _mm256_loadu_si256(source.add(8).cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        unsafe {
            _mm256_storeu_si256(target.cast(), self.0);
            _mm256_storeu_si256(target.add(8).cast(), self.1);
        }
    }

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Self(_mm256_add_epi32(self.0, other.0), _mm256_add_epi32(self.1, other.1)) }
    }

    #[inline(always)]
    fn wrapping_sub(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Self(_mm256_sub_epi32(self.0, other.0), _mm256_sub_epi32(self.1, other.1)) }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Self(_mm256_min_epu32(self.0, other.0), _mm256_min_epu32(self.1, other.1)) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Self(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Self(_mm256_xor_si256(self.0, other.0), _mm256_xor_si256(self.1, other.1)) }
    }

    #[inline(always)]
    fn rotate_right<const BITS: u32>(self) -> Self {
        Self(rotate::<BITS>(self.0), rotate::<BITS>(self.1))
    }

    #[inline(always)]
    fn odds(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Self(_mm256_srli_epi64::<32>(self.0), _mm256_srli_epi64::<32>(self.1)) }
    }

    #[inline(always)]
    fn mul_even(self, other: Self) -> Products {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Products(_mm256_mul_epu32(self.0, other.0), _mm256_mul_epu32(self.1, other.1)) }
    }

    #[inline(always)]
    fn no_products() -> Products {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Products(_mm256_setzero_si256(), _mm256_setzero_si256()) }
    }

    #[inline(always)]
    fn add_products(a: Products, b: Products) -> Products {
        // SAFETY: `dispatch` checked the instructions.
        unsafe { Products(_mm256_add_epi64(a.0, b.0), _mm256_add_epi64(a.1, b.1)) }
    }

    #[inline(always)]
    fn fold(products: Products) -> Products {
        Products(fold(products.0), fold(products.1))
    }

    #[inline(always)]
    fn join(even: Products, odd: Products) -> Self {
        Self(join(even.0, odd.0), join(even.1, odd.1))
    }

    #[inline(always)]
    fn mul_prepared(self, even: Self, odd: Self) -> Self {
        Self(mul(self.0, even.0, odd.0), mul(self.1, even.1, odd.1))
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        let (a, b) = interleave(self.0, other.0);
        let (c, d) = interleave(self.1, other.1);
        (Self(a, b), Self(c, d))
    }

    #[inline(always)]
    fn deinterleave(self, other: Self) -> (Self, Self) {
        let (a, b) = deinterleave(self.0, self.1);
        let (c, d) = deinterleave(other.0, other.1);
        (Self(a, c), Self(b, d))
    }
}
