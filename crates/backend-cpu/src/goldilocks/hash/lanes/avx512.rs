//! Eight lanes in a 512-bit register.

use core::arch::x86_64::*;

use super::{DIGEST_WORDS, Lanes};
use crate::goldilocks::registers::{Avx512, EPSILON, Register};

impl Lanes for Avx512 {
    #[inline(always)]
    unsafe fn load_every<const STRIDE: usize>(source: *const u64, offset: usize) -> Self {
        let k = offset as i64;
        // SAFETY: the caller's promise: 8 STRIDE words; `dispatch` checked the instructions.
        unsafe {
            match STRIDE {
                1 => Self::load_raw(source),
                2 => {
                    let index = _mm512_setr_epi64(k, k + 2, k + 4, k + 6, k + 8, k + 10, k + 12, k + 14);
                    let (a, b) = (Self::load_raw(source), Self::load_raw(source.add(8)));
                    Self(_mm512_permutex2var_epi64(a.0, index, b.0))
                }
                4 => {
                    let index = _mm512_setr_epi64(k, k + 4, k + 8, k + 12, k, k + 4, k + 8, k + 12);
                    let (a, b) = (Self::load_raw(source), Self::load_raw(source.add(8)));
                    let (c, d) = (Self::load_raw(source.add(16)), Self::load_raw(source.add(24)));
                    let low = _mm512_permutex2var_epi64(a.0, index, b.0);
                    let high = _mm512_permutex2var_epi64(c.0, index, d.0);
                    Self(_mm512_mask_blend_epi64(0xF0, low, high))
                }
                _ => {
                    let stride = STRIDE as i64;
                    let index = _mm512_setr_epi64(
                        k,
                        k + stride,
                        k + 2 * stride,
                        k + 3 * stride,
                        k + 4 * stride,
                        k + 5 * stride,
                        k + 6 * stride,
                        k + 7 * stride,
                    );
                    Self(_mm512_i64gather_epi64::<8>(index, source.cast()))
                }
            }
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions. 0x96 is the truth table of a ^ b ^ c.
        Self(unsafe { _mm512_ternarylogic_epi64::<0x96>(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions. 0xD2 is the truth table of a ^ (!b & c).
        Self(unsafe { _mm512_ternarylogic_epi64::<0xD2>(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions. A constant count becomes an immediate.
        Self(unsafe { _mm512_rolv_epi64(self.0, _mm512_set1_epi64(i64::from(BITS))) })
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let order = _mm512_set4_epi32(0x0809_0A0B, 0x0C0D_0E0F, 0x0001_0203, 0x0405_0607);
            Self(_mm512_shuffle_epi8(self.0, order))
        }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { _mm512_srai_epi64::<BITS>(self.0) })
    }

    #[inline(always)]
    fn low_high(self, high: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions. The odd 32-bit lanes come from the even ones of `high`.
        Self(unsafe {
            _mm512_castps_si512(_mm512_mask_moveldup_ps(
                _mm512_castsi512_ps(self.0),
                0xAAAA,
                _mm512_castsi512_ps(high.0),
            ))
        })
    }

    #[inline(always)]
    fn wide_mul(self, other: Self) -> (Self, Self) {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let (x, y) = (self.0, other.0);
            let x_high = high_half(x);
            let y_high = high_half(y);
            let low_low = _mm512_mul_epu32(x, y);
            let low_high = _mm512_mul_epu32(x, y_high);
            let high_low = _mm512_mul_epu32(x_high, y);
            let high_high = _mm512_mul_epu32(x_high, y_high);
            // No sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
            let t = _mm512_add_epi64(high_low, _mm512_srli_epi64::<32>(low_low));
            let u = _mm512_add_epi64(low_high, _mm512_and_si512(t, _mm512_set1_epi64(EPSILON as i64)));
            let high = _mm512_add_epi64(high_high, _mm512_srli_epi64::<32>(t));
            let high = _mm512_add_epi64(high, _mm512_srli_epi64::<32>(u));
            (Self(low_low).low_high(Self(u)), Self(high))
        }
    }

    #[inline(always)]
    fn wide_square(self) -> (Self, Self) {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let x = self.0;
            let x_high = high_half(x);
            let low_low = _mm512_mul_epu32(x, x);
            let cross = _mm512_mul_epu32(x, x_high);
            let high_high = _mm512_mul_epu32(x_high, x_high);
            // x^2 = low_low + 2^33 cross + 2^64 high_high; no sum overflows: (2^32 - 1)^2 + 2^31 < 2^64.
            let t = _mm512_add_epi64(cross, _mm512_srli_epi64::<33>(low_low));
            // 0xCA takes the second operand where the first has ones, else the third.
            let mask = _mm512_set1_epi64((1 << 33) - 1);
            let low = _mm512_ternarylogic_epi64::<0xCA>(mask, low_low, _mm512_slli_epi64::<33>(t));
            let high = _mm512_add_epi64(high_high, _mm512_srli_epi64::<31>(t));
            (Self(low), Self(high))
        }
    }

    #[inline(always)]
    fn add_fold(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let sum = _mm512_add_epi64(self.0, other.0);
            let carry = _mm512_cmplt_epu64_mask(sum, other.0);
            Self(_mm512_mask_add_epi64(sum, carry, sum, _mm512_set1_epi64(EPSILON as i64)))
        }
    }

    #[inline(always)]
    fn sub_fold(self, other: Self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let difference = _mm512_sub_epi64(self.0, other.0);
            let borrow = _mm512_cmplt_epu64_mask(self.0, other.0);
            Self(_mm512_mask_sub_epi64(difference, borrow, difference, _mm512_set1_epi64(EPSILON as i64)))
        }
    }

    #[inline(always)]
    unsafe fn store_digests(words: [Self; DIGEST_WORDS], target: *mut u8) {
        // SAFETY: the caller's promise: 256 bytes; `dispatch` checked the instructions.
        unsafe {
            let [w0, w1, w2, w3] = words;
            // Halves of the digests of even lanes, then of odd lanes.
            let (e0, o0) = (_mm512_unpacklo_epi64(w0.0, w1.0), _mm512_unpackhi_epi64(w0.0, w1.0));
            let (e1, o1) = (_mm512_unpacklo_epi64(w2.0, w3.0), _mm512_unpackhi_epi64(w2.0, w3.0));
            // Register i of the result has digests 2i and 2i+1.
            let digests = transpose_quarters(e0, e1, o0, o1);
            digests[0].store_raw(target.cast());
            digests[1].store_raw(target.add(64).cast());
            digests[2].store_raw(target.add(128).cast());
            digests[3].store_raw(target.add(192).cast());
        }
    }
}

/// Each odd 32-bit lane, moved down.
#[inline]
#[target_feature(enable = "avx512f")]
fn high_half(x: __m512i) -> __m512i {
    _mm512_srli_epi64::<32>(x)
}

/// Quarter q of register r goes to quarter r of register q.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_quarters(a: __m512i, b: __m512i, c: __m512i, d: __m512i) -> [Avx512; 4] {
    // 0x88 takes quarters 0, 2 of each operand; 0xDD takes 1, 3.
    let (ab02, ab13) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xDD>(a, b));
    let (cd02, cd13) = (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xDD>(c, d));
    [
        Avx512(_mm512_shuffle_i64x2::<0x88>(ab02, cd02)),
        Avx512(_mm512_shuffle_i64x2::<0x88>(ab13, cd13)),
        Avx512(_mm512_shuffle_i64x2::<0xDD>(ab02, cd02)),
        Avx512(_mm512_shuffle_i64x2::<0xDD>(ab13, cd13)),
    ]
}
