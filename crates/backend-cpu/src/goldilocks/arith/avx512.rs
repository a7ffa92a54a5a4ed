//! Eight lanes in a 512-bit register.

use core::arch::x86_64::*;

use super::{EPSILON, P, Packed};

/// Eight lazy elements.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

impl Packed for Avx512 {
    const LANES: usize = 8;

    #[inline(always)]
    fn splat_raw(value: u64) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_set1_epi64(value as i64) })
    }

    #[inline(always)]
    unsafe fn load_raw(source: *const u64) -> Self {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        Self(unsafe { _mm512_loadu_si512(source.cast()) })
    }

    #[inline(always)]
    unsafe fn store_raw(self, target: *mut u64) {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        unsafe { _mm512_storeu_si512(target.cast(), self.0) }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            // Below p the difference wraps to something larger.
            let p = _mm512_set1_epi64(P as i64);
            Self(_mm512_min_epu64(self.0, _mm512_sub_epi64(self.0, p)))
        }
    }

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

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_slli_epi64::<BITS>(self.0) })
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_srli_epi64::<BITS>(self.0) })
    }

    #[inline(always)]
    fn low_times_epsilon(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_mul_epu32(self.0, _mm512_set1_epi64(EPSILON as i64)) })
    }

    #[inline(always)]
    fn transpose(registers: &mut [Self; 8]) {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let r = *registers;
            // Pairs of lanes: a[2i] holds even columns of rows 2i, 2i+1; a[2i+1] the odd ones.
            let a0 = _mm512_unpacklo_epi64(r[0].0, r[1].0);
            let a1 = _mm512_unpackhi_epi64(r[0].0, r[1].0);
            let a2 = _mm512_unpacklo_epi64(r[2].0, r[3].0);
            let a3 = _mm512_unpackhi_epi64(r[2].0, r[3].0);
            let a4 = _mm512_unpacklo_epi64(r[4].0, r[5].0);
            let a5 = _mm512_unpackhi_epi64(r[4].0, r[5].0);
            let a6 = _mm512_unpacklo_epi64(r[6].0, r[7].0);
            let a7 = _mm512_unpackhi_epi64(r[6].0, r[7].0);
            // 128-bit quarters: 0x88 takes quarters 0, 2 of each operand (columns 0/1 and 4/5), 0xDD takes 1, 3.
            let b0 = _mm512_shuffle_i64x2::<0x88>(a0, a2);
            let b1 = _mm512_shuffle_i64x2::<0x88>(a1, a3);
            let b2 = _mm512_shuffle_i64x2::<0xDD>(a0, a2);
            let b3 = _mm512_shuffle_i64x2::<0xDD>(a1, a3);
            let b4 = _mm512_shuffle_i64x2::<0x88>(a4, a6);
            let b5 = _mm512_shuffle_i64x2::<0x88>(a5, a7);
            let b6 = _mm512_shuffle_i64x2::<0xDD>(a4, a6);
            let b7 = _mm512_shuffle_i64x2::<0xDD>(a5, a7);
            *registers = [
                Self(_mm512_shuffle_i64x2::<0x88>(b0, b4)),
                Self(_mm512_shuffle_i64x2::<0x88>(b1, b5)),
                Self(_mm512_shuffle_i64x2::<0x88>(b2, b6)),
                Self(_mm512_shuffle_i64x2::<0x88>(b3, b7)),
                Self(_mm512_shuffle_i64x2::<0xDD>(b0, b4)),
                Self(_mm512_shuffle_i64x2::<0xDD>(b1, b5)),
                Self(_mm512_shuffle_i64x2::<0xDD>(b2, b6)),
                Self(_mm512_shuffle_i64x2::<0xDD>(b3, b7)),
            ];
        }
    }
}
