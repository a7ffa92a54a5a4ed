//! One lane in a general register.

use super::{EPSILON, P, Register};

/// One u64.
#[derive(Clone, Copy)]
pub(crate) struct Portable(pub(in crate::goldilocks) u64);

impl Register for Portable {
    const LANES: usize = 1;

    #[inline(always)]
    fn splat_raw(value: u64) -> Self {
        Self(value)
    }

    #[inline(always)]
    unsafe fn load_raw(source: *const u64) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { source.read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store_raw(self, target: *mut u64) {
        // SAFETY: the caller's promise.
        unsafe { target.write_unaligned(self.0) }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        let (reduced, below) = self.0.overflowing_sub(P);
        Self(if below { self.0 } else { reduced })
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        Self(self.0 << BITS)
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0 >> BITS)
    }

    #[inline(always)]
    fn low_times_epsilon(self) -> Self {
        let low = self.0 & EPSILON;
        Self((low << 32) - low)
    }

    #[inline(always)]
    fn transpose(_registers: &mut [Self; 8]) {}
}
