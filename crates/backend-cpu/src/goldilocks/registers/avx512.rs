//! Eight lanes in a 512-bit register.

use core::arch::x86_64::*;

use super::{EPSILON, P, Register};

/// Eight u64.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(pub(in crate::goldilocks) __m512i);

impl Register for Avx512 {
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
