//! One lane in plain code.

use super::{DIGEST_WORDS, Lanes};

const EPSILON: u64 = 0xFFFF_FFFF;
const P: u64 = 0xFFFF_FFFF_0000_0001;

/// One u64.
#[derive(Clone, Copy)]
pub(crate) struct Portable(u64);

impl Lanes for Portable {
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(value)
    }

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { source.read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u64) {
        // SAFETY: the caller's promise.
        unsafe { target.write_unaligned(self.0) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(self.0 ^ (!b.0 & c.0))
    }

    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Self {
        Self(self.0.rotate_left(BITS))
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        Self(self.0.swap_bytes())
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
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
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        Self((self.0.cast_signed() >> BITS).cast_unsigned())
    }

    #[inline(always)]
    fn low_high(self, high: Self) -> Self {
        Self((self.0 & EPSILON) | (high.0 << 32))
    }

    #[inline(always)]
    fn low_times_epsilon(self) -> Self {
        Self((self.0 << 32).wrapping_sub(self.0 & EPSILON))
    }

    #[inline(always)]
    fn wide_mul(self, other: Self) -> (Self, Self) {
        let product = u128::from(self.0) * u128::from(other.0);
        (Self(product as u64), Self((product >> 64) as u64))
    }

    #[inline(always)]
    fn wide_square(self) -> (Self, Self) {
        self.wide_mul(self)
    }

    #[inline(always)]
    fn add_fold(self, other: Self) -> Self {
        let (sum, carry) = self.0.overflowing_add(other.0);
        Self(sum.wrapping_add(EPSILON * u64::from(carry)))
    }

    #[inline(always)]
    fn sub_fold(self, other: Self) -> Self {
        let (difference, borrow) = self.0.overflowing_sub(other.0);
        Self(difference.wrapping_sub(EPSILON * u64::from(borrow)))
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        Self(self.0.min(self.0.wrapping_sub(P)))
    }

    #[inline(always)]
    fn transpose(_: &mut [Self; 8]) {}

    #[inline(always)]
    unsafe fn store_digests(words: [Self; DIGEST_WORDS], target: *mut u8) {
        // SAFETY: the caller's promise: 32 bytes.
        unsafe {
            words[0].store(target.cast());
            words[1].store(target.add(8).cast());
            words[2].store(target.add(16).cast());
            words[3].store(target.add(24).cast());
        }
    }
}
