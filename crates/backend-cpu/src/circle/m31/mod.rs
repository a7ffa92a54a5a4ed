//! Registers of sixteen 32-bit lanes, for arithmetic in M31 and for Blake2s, chosen at run time.
//!
//! Every level has sixteen lanes, in one register or in several, so that layouts do not depend on the level.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod inverse;
mod portable;
mod qm31;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
use field::M31;
pub(crate) use inverse::batch_inverse;
pub(crate) use portable::Portable;
pub(crate) use qm31::{Dot, QLanes, dot, sum_lanes, two_products};

/// Number of lanes.
pub(crate) const LANES: usize = 16;
/// The modulus.
pub(crate) const P: u32 = 0x7FFF_FFFF;

/// Sixteen u32. As elements of M31 they are canonical, before and after every operation that speaks of M31.
///
/// Code gets an implementation only as the type parameter of a kernel, after the dispatcher has checked that the
/// machine has the instructions; this makes the safe methods sound. Functions generic over it must be
/// `#[inline(always)]` and must not compute in closures: only code that is inlined into the entry of a level is
/// compiled with its instructions.
pub trait Lanes: Copy {
    /// Eight u64: products of the even lanes, or sums of them.
    type Products: Copy;

    /// Every lane set to `value`.
    fn splat(value: u32) -> Self;

    /// Sixteen consecutive words.
    ///
    /// # Safety
    /// `source` must be readable for 16 words.
    unsafe fn load(source: *const u32) -> Self;

    /// Sixteen consecutive words.
    ///
    /// # Safety
    /// `target` must be writable for 16 words.
    unsafe fn store(self, target: *mut u32);

    /// `COUNT` consecutive words, 1, 2, 4, 8 or 16 of them, repeated to fill the lanes.
    ///
    /// # Safety
    /// `source` must be readable for `COUNT` words.
    #[inline(always)]
    unsafe fn load_repeated<const COUNT: usize>(source: *const u32) -> Self {
        // SAFETY: the caller's promise.
        let words = unsafe { source.cast::<[u32; COUNT]>().read_unaligned() };
        let lanes: [u32; LANES] = std::array::from_fn(|lane| words[lane % COUNT]);
        // SAFETY: sixteen words.
        unsafe { Self::load(lanes.as_ptr()) }
    }

    /// `self + other mod 2^32`.
    fn wrapping_add(self, other: Self) -> Self;

    /// `self - other mod 2^32`.
    fn wrapping_sub(self, other: Self) -> Self;

    /// The smaller of the two, without a sign.
    fn min(self, other: Self) -> Self;

    /// `self & other`.
    fn and(self, other: Self) -> Self;

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// Every lane turned right, `0 < BITS < 32`.
    fn rotate_right<const BITS: u32>(self) -> Self;

    /// The odd lanes in the places of the even ones; the odd lanes then mean nothing.
    fn odds(self) -> Self;

    /// The products of the even lanes, which have 64 bits.
    fn mul_even(self, other: Self) -> Self::Products;

    /// Zeros.
    fn no_products() -> Self::Products;

    /// Sums mod 2^64.
    fn add_products(a: Self::Products, b: Self::Products) -> Self::Products;

    /// `x mod 2^31 + (x >> 31)`, congruent mod p and below 2^34.
    fn fold(products: Self::Products) -> Self::Products;

    /// The canonical representatives of 16 folded numbers: even lanes, odd lanes, each below 2^34.
    fn join(even: Self::Products, odd: Self::Products) -> Self;

    /// `self * (even, odd)` in M31, where `even` has twice the factors of the even lanes in its even lanes and `odd`
    /// twice the factors of the odd lanes in its even lanes.
    fn mul_prepared(self, even: Self, odd: Self) -> Self;

    /// `a0 b0 a1 b1 ...`: the first half and the second.
    fn interleave(self, other: Self) -> (Self, Self);

    /// The even and the odd lanes of `self` and then `other`: the inverse of [`Self::interleave`].
    fn deinterleave(self, other: Self) -> (Self, Self);

    /// `self + other` in M31.
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // Below p the difference wraps to something larger.
        let sum = self.wrapping_add(other);
        sum.min(sum.wrapping_sub(Self::splat(P)))
    }

    /// `self - other` in M31.
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let difference = self.wrapping_sub(other);
        difference.min(difference.wrapping_add(Self::splat(P)))
    }

    /// `-self` in M31.
    #[inline(always)]
    fn neg(self) -> Self {
        Self::splat(0).sub(self)
    }

    /// `self * other` in M31.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let twice = other.wrapping_add(other);
        self.mul_prepared(twice, twice.odds())
    }

    /// `self * factor` in M31, for one factor.
    #[inline(always)]
    fn scale(self, factor: M31) -> Self {
        let twice = Self::splat(factor.value() << 1);
        self.mul_prepared(twice, twice)
    }

    /// `self^2` in M31.
    #[inline(always)]
    fn square(self) -> Self {
        self.mul(self)
    }

    /// All ones where a lane is not zero.
    #[inline(always)]
    fn nonzero_mask(self) -> Self {
        Self::splat(0).wrapping_sub(self.min(Self::splat(1)))
    }
}

/// The transposed square: four perfect shuffles of the 256 words exchange register and lane.
#[inline(always)]
pub(crate) fn transpose<V: Lanes>(registers: [V; LANES]) -> [V; LANES] {
    let mut from = registers;
    for _ in 0..4 {
        let mut to = from;
        for i in 0..LANES / 2 {
            (to[2 * i], to[2 * i + 1]) = from[i].interleave(from[i + LANES / 2]);
        }
        from = to;
    }
    from
}
