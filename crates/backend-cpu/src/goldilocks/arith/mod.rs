//! Goldilocks arithmetic on SIMD lanes, chosen at run time.
//!
//! Every level gives the same canonical results.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod fp3;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod tests;

use field::Goldilocks;
pub(crate) use fp3::PackedFp3;

pub(crate) use super::registers::{EPSILON, Register};

/// `LANES` Goldilocks elements in one register.
///
/// A lane holds **any** u64 congruent to its value, so operations skip the final subtraction; [`Register::canonical`]
/// puts it in. All arithmetic accepts and returns such lazy lanes unless it says otherwise.
pub trait Packed: Register {
    /// `self + other` where `other <= p`: saves the reduction that [`Packed::add`] needs.
    fn add_canonical(self, other: Self) -> Self;

    /// `self - other` where `other <= p`.
    fn sub_canonical(self, other: Self) -> Self;

    /// `self * other`.
    fn mul(self, other: Self) -> Self;

    /// `self + other`.
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.add_canonical(other.canonical())
    }

    /// `self - other`.
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.sub_canonical(other.canonical())
    }

    /// `(self + other, self - other)`; shares the reduction of `other`.
    #[inline(always)]
    fn butterfly(self, other: Self) -> (Self, Self) {
        let other = other.canonical();
        (self.add_canonical(other), self.sub_canonical(other))
    }

    /// `-self`.
    #[inline(always)]
    fn neg(self) -> Self {
        Self::splat_raw(0).sub(self)
    }

    /// `2 self`.
    #[inline(always)]
    fn double(self) -> Self {
        self.add(self)
    }

    /// `self^2`.
    #[inline(always)]
    fn square(self) -> Self {
        self.mul(self)
    }

    /// `2^12 self`, see [`Packed::mul_2exp24`].
    #[inline(always)]
    fn mul_2exp12(self) -> Self {
        let high = self.shift_right::<52>().low_times_epsilon();
        self.shift_left::<12>().add_canonical(high)
    }

    /// `2^24 self`: with `x = low + 2^40 high`, `2^24 x = 2^24 low + 2^64 high`.
    #[inline(always)]
    fn mul_2exp24(self) -> Self {
        let high = self.shift_right::<40>().low_times_epsilon();
        self.shift_left::<24>().add_canonical(high)
    }

    /// `2^36 self`, see [`Packed::mul_2exp48`].
    #[inline(always)]
    fn mul_2exp36(self) -> Self {
        let middle = self.shift_right::<28>().low_times_epsilon();
        let top = self.shift_right::<60>();
        self.shift_left::<36>().sub_canonical(top).add_canonical(middle)
    }

    /// `2^48 self`: with `x = a + 2^16 b + 2^48 c`, `2^48 x = 2^48 a + 2^64 b + 2^96 c = 2^48 a + (2^32 - 1) b - c`.
    #[inline(always)]
    fn mul_2exp48(self) -> Self {
        let middle = self.shift_right::<16>().low_times_epsilon();
        let top = self.shift_right::<48>();
        self.shift_left::<48>().sub_canonical(top).add_canonical(middle)
    }

    /// `2^60 self`, see [`Packed::mul_2exp48`].
    #[inline(always)]
    fn mul_2exp60(self) -> Self {
        let middle = self.shift_right::<4>().low_times_epsilon();
        let top = self.shift_right::<36>();
        self.shift_left::<60>().sub_canonical(top).add_canonical(middle)
    }

    /// `2^72 self`: with `x = a + 2^24 b`, `2^72 x = 2^64 (2^8 a) + 2^96 b = (2^32 - 1) 2^8 a - b`.
    #[inline(always)]
    fn mul_2exp72(self) -> Self {
        let low = self.shift_left::<8>().low_times_epsilon();
        low.sub_canonical(self.shift_right::<24>())
    }

    /// `2^84 self`, see [`Packed::mul_2exp72`].
    #[inline(always)]
    fn mul_2exp84(self) -> Self {
        let low = self.shift_left::<20>().low_times_epsilon();
        low.sub_canonical(self.shift_right::<12>())
    }

    /// Every lane set to `value`.
    #[inline(always)]
    fn splat(value: Goldilocks) -> Self {
        Self::splat_raw(value.value())
    }

    /// Lanes from the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline(always)]
    fn load(source: &[Goldilocks]) -> Self {
        assert!(source.len() >= Self::LANES, "a load needs one element for each lane");
        // SAFETY: the length was checked, and Goldilocks is a transparent u64.
        unsafe { Self::load_raw(source.as_ptr().cast()) }
    }
}
