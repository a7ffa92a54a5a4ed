//! Four lanes in a 256-bit register.

use core::arch::x86_64::*;

use super::{EPSILON, P, Register};

const TOP_BIT: i64 = i64::MIN;

/// Four u64.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(pub(in crate::goldilocks) __m256i);

impl Register for Avx2 {
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
