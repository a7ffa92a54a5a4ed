//! Goldilocks arithmetic for a permutation: lazy elements for products, signed pairs of limbs for sums.
//!
//! `p = 2^64 - 2^32 + 1`, so `2^64 = 2^32 - 1` and `2^96 = -1` mod p. A *lazy* lane is any u64 congruent to its value.
//! A [`Limbs`] is `low + 2^32 high` with signed 64-bit limbs: sums and small multiples need no reduction at all, and a
//! permutation's linear layers are nothing else.

use crate::goldilocks::hash::lanes::Lanes;

const LOW: u64 = 0xFFFF_FFFF;

/// `low + 2^32 high`, both signed.
#[derive(Clone, Copy)]
pub(super) struct Limbs<V> {
    low: V,
    high: V,
}

impl<V: Lanes> Limbs<V> {
    /// `low + 2^32 high`, two's complement.
    #[cfg(test)]
    #[inline(always)]
    pub(super) fn new(low: V, high: V) -> Self {
        Self { low, high }
    }

    /// A lazy value. Limbs below `2^32`.
    #[inline(always)]
    pub(super) fn from_lazy(value: V) -> Self {
        Self { low: value.and(V::splat_raw(LOW)), high: value.shift_right::<32>() }
    }

    /// `x y` of lazy values, with `-2^33 < low < 2^32` and `0 <= high < 2^33`.
    #[inline(always)]
    pub(super) fn product(x: V, y: V) -> Self {
        // a + 2^32 b + 2^64 c + 2^96 d = (a - c - d) + 2^32 (b + c).
        let (low, high) = x.wide_mul(y);
        let (a, b) = (low.and(V::splat_raw(LOW)), low.shift_right::<32>());
        let (c, d) = (high.and(V::splat_raw(LOW)), high.shift_right::<32>());
        Self { low: a.sub(c).sub(d), high: b.add(c) }
    }

    /// `self + other`.
    #[inline(always)]
    pub(super) fn add(self, other: Self) -> Self {
        Self { low: self.low.add(other.low), high: self.high.add(other.high) }
    }

    /// `self - other`.
    #[inline(always)]
    pub(super) fn sub(self, other: Self) -> Self {
        Self { low: self.low.sub(other.low), high: self.high.sub(other.high) }
    }

    /// `2^BITS self`.
    #[inline(always)]
    pub(super) fn times_power<const BITS: u32>(self) -> Self {
        Self { low: self.low.shift_left::<BITS>(), high: self.high.shift_left::<BITS>() }
    }

    /// `self / 2`, with `1/2 = -2^95 = 2^31 - 2^63`.
    #[inline(always)]
    pub(super) fn half(self) -> Self {
        let one = V::splat_raw(1);
        let (b, c) = (self.low.and(one), self.high.and(one));
        // Odd parts: b/2 = 2^31 b - 2^32 2^31 b, and 2^32 c/2 = 2^31 c.
        Self {
            low: self.low.shift_right_signed::<1>().add(b.add(c).shift_left::<31>()),
            high: self.high.shift_right_signed::<1>().sub(b.shift_left::<31>()),
        }
    }

    /// `self / 4`, with `1/4 = -2^94 = 2^30 - 2^62`.
    #[inline(always)]
    pub(super) fn quarter(self) -> Self {
        let three = V::splat_raw(3);
        let (b, c) = (self.low.and(three), self.high.and(three));
        Self {
            low: self.low.shift_right_signed::<2>().add(b.add(c).shift_left::<30>()),
            high: self.high.shift_right_signed::<2>().sub(b.shift_left::<30>()),
        }
    }

    /// The same value with limbs back within `2^33`, from limbs within `2^62`.
    #[inline(always)]
    pub(super) fn carried(self) -> Self {
        // a + 2^32 (b + c) + 2^64 d = (a - d) + 2^32 (b + c + d).
        let (a, b) = (self.low.and(V::splat_raw(LOW)), self.low.shift_right_signed::<32>());
        let (c, d) = (self.high.and(V::splat_raw(LOW)), self.high.shift_right_signed::<32>());
        Self { low: a.sub(d), high: b.add(c).add(d) }
    }

    /// A lazy value of `self + constant`, from limbs within `2^61`.
    #[inline(always)]
    pub(super) fn reduce_with(self, constant: Shifted) -> V {
        let low = self.low.add(V::splat_raw(constant.low));
        // low = a + 2^32 b: the whole is a + 2^32 (high + b), and the bias in the constant makes high + b = c + 2^32 d
        // non-negative: a + 2^32 c + (2^32 - 1) d. The last term is below 2^63, so a carry that is put back as 2^32 - 1
        // cannot overflow again.
        let high = self.high.add(V::splat_raw(constant.high)).add(low.shift_right_signed::<32>());
        low.low_high(high).add_fold(high.shift_right::<32>().low_times_epsilon())
    }
}

/// A constant plus a multiple of p as two limbs, such that adding it makes limbs within `2^61` non-negative.
#[derive(Clone, Copy)]
pub(super) struct Shifted {
    low: u64,
    high: u64,
}

impl Shifted {
    /// From a constant in `[0, p)`.
    pub(super) const fn new(constant: u64) -> Self {
        // 2^30 p = 2^30 + 2^32 (2^62 - 2^30).
        Self { low: (constant & LOW) + (1 << 30), high: (constant >> 32) + (1 << 62) - (1 << 30) }
    }
}

/// `2^64 high + low` as a lazy value.
#[inline(always)]
fn reduce<V: Lanes>((low, high): (V, V)) -> V {
    // 2^64 c + 2^96 d = (2^32 - 1) c - d. A borrow leaves at least 2^64 - 2^32 + 1, and (2^32 - 1) c is at most
    // 2^64 - 2^33 + 1, so neither correction overflows again.
    low.sub_fold(high.shift_right::<32>()).add_fold(high.low_times_epsilon())
}

/// `x y`, lazy from lazy.
#[inline(always)]
pub(super) fn multiply<V: Lanes>(x: V, y: V) -> V {
    reduce(x.wide_mul(y))
}

/// `x^2`, lazy from lazy.
#[inline(always)]
pub(super) fn square<V: Lanes>(x: V) -> V {
    reduce(x.wide_square())
}
