//! The complex extension `M31[i]/(i^2 + 1)`.

use crate::macros::{extension_bytes, extension_coordinates, field_operators};
use crate::{Field, M31, PrimeField};

/// `p^2`: added before a product is subtracted, to stay above zero.
pub(crate) const P_SQUARED: u64 = M31::ORDER * M31::ORDER;

/// `re + im i` with `i^2 = -1`, stored as `[re, im]`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct CM31(pub [M31; 2]);

/// The product of two canonical values as an integer, below `p^2 < 2^62`.
#[inline(always)]
pub(crate) const fn wide(a: M31, b: M31) -> u64 {
    // Wrapping, so that values cast from foreign bytes can't panic.
    (a.value() as u64).wrapping_mul(b.value() as u64)
}

impl CM31 {
    /// The element `re + im i`.
    #[inline(always)]
    #[must_use]
    pub const fn new(re: M31, im: M31) -> Self {
        Self([re, im])
    }

    /// The coordinate of 1.
    #[inline(always)]
    #[must_use]
    pub const fn re(self) -> M31 {
        self.0[0]
    }

    /// The coordinate of `i`.
    #[inline(always)]
    #[must_use]
    pub const fn im(self) -> M31 {
        self.0[1]
    }

    /// `re - im i`.
    #[inline(always)]
    #[must_use]
    pub const fn conjugate(self) -> Self {
        Self([self.0[0], self.0[1].const_neg()])
    }

    /// The sum, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_add(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a.const_add(c), b.const_add(d)])
    }

    /// The difference, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_sub(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a.const_sub(c), b.const_sub(d)])
    }

    /// The product `(ac - bd) + (ad + bc) i`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_mul(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // Both sums stay below 2 p^2 < 2^63: one reduction per coordinate.
        Self([
            M31::reduce(wide(a, c).wrapping_add(P_SQUARED.wrapping_sub(wide(b, d)))),
            M31::reduce(wide(a, d).wrapping_add(wide(b, c))),
        ])
    }

    /// The opposite, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_neg(self) -> Self {
        Self([self.0[0].const_neg(), self.0[1].const_neg()])
    }
}

field_operators!(CM31);
extension_coordinates!(CM31, M31, 2);
extension_bytes!(CM31, M31, 2);

impl Field for CM31 {
    const ZERO: Self = Self([M31::ZERO; 2]);
    const ONE: Self = Self([M31::ONE, M31::ZERO]);

    #[inline]
    fn is_canonical(&self) -> bool {
        self.0.iter().all(Field::is_canonical)
    }

    /// The conjugate over the norm `re^2 + im^2`.
    fn inverse(self) -> Option<Self> {
        let [re, im] = self.0;
        Some(self.conjugate() * (re.square() + im.square()).inverse()?)
    }
}
