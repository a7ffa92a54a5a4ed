//! Two lanes in a 128-bit register.

use core::arch::aarch64::*;

use super::{P, Register};

/// Two u64.
#[derive(Clone, Copy)]
pub(crate) struct Neon(pub(in crate::goldilocks) uint64x2_t);

impl Register for Neon {
    const LANES: usize = 2;

    #[inline(always)]
    fn splat_raw(value: u64) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vdupq_n_u64(value) })
    }

    #[inline(always)]
    unsafe fn load_raw(source: *const u64) -> Self {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions. A load of bytes asks for no alignment.
        Self(unsafe { vreinterpretq_u64_u8(vld1q_u8(source.cast())) })
    }

    #[inline(always)]
    unsafe fn store_raw(self, target: *mut u64) {
        // SAFETY: the caller's promise, and `dispatch` checked the instructions.
        unsafe { vst1q_u8(target.cast(), vreinterpretq_u8_u64(self.0)) }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let p = vdupq_n_u64(P);
            let above = vcgeq_u64(self.0, p);
            Self(vsubq_u64(self.0, vandq_u64(above, p)))
        }
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        Self(unsafe { vshlq_u64(self.0, vdupq_n_s64(i64::from(BITS))) })
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        // SAFETY: `dispatch` checked the instructions. A shift by a negative count goes to the right.
        Self(unsafe { vshlq_u64(self.0, vdupq_n_s64(-i64::from(BITS))) })
    }

    #[inline(always)]
    fn low_times_epsilon(self) -> Self {
        // SAFETY: `dispatch` checked the instructions.
        unsafe {
            let low = vmovn_u64(self.0);
            Self(vmull_u32(low, vdup_n_u32(u32::MAX)))
        }
    }

    #[inline(always)]
    fn transpose(registers: &mut [Self; 8]) {
        for pair in registers.chunks_exact_mut(2) {
            let (a, b) = (pair[0].0, pair[1].0);
            // SAFETY: `dispatch` checked the instructions.
            (pair[0], pair[1]) = unsafe { (Self(vzip1q_u64(a, b)), Self(vzip2q_u64(a, b))) };
        }
    }
}
