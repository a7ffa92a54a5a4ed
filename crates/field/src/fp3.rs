//! The cubic extension `Goldilocks[w]/(w^3 - 2)`.

use crate::macros::{extension_bytes, extension_coordinates, field_operators};
use crate::{Field, Goldilocks};

/// `c0 + c1 w + c2 w^2` with `w^3 = 2`, stored as `[c0, c1, c2]`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Fp3(pub [Goldilocks; 3]);

impl Fp3 {
    /// The element `c0 + c1 w + c2 w^2`.
    #[inline(always)]
    #[must_use]
    pub const fn new(c0: Goldilocks, c1: Goldilocks, c2: Goldilocks) -> Self {
        Self([c0, c1, c2])
    }

    /// The sum, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_add(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, other.0);
        Self([a0.const_add(b0), a1.const_add(b1), a2.const_add(b2)])
    }

    /// The difference, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_sub(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, other.0);
        Self([a0.const_sub(b0), a1.const_sub(b1), a2.const_sub(b2)])
    }

    /// The product, usable in constants:
    /// `(a0 b0 + 2 (a1 b2 + a2 b1), a0 b1 + a1 b0 + 2 a2 b2, a0 b2 + a1 b1 + a2 b0)`.
    ///
    /// Six base products: each cross sum is `(ai + aj)(bi + bj) - ai bi - aj bj`.
    #[inline(always)]
    #[must_use]
    pub const fn const_mul(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, other.0);
        let (p0, p1, p2) = (a0.const_mul(b0), a1.const_mul(b1), a2.const_mul(b2));
        let p01 = a0.const_add(a1).const_mul(b0.const_add(b1));
        let p02 = a0.const_add(a2).const_mul(b0.const_add(b2));
        let p12 = a1.const_add(a2).const_mul(b1.const_add(b2));
        let cross = p12.const_sub(p1).const_sub(p2);
        Self([
            p0.const_add(cross.const_add(cross)),
            // p01 - p0 - p1 + 2 p2
            p01.const_sub(p0).const_sub(p1).const_add(p2.const_add(p2)),
            // p02 - p0 - p2 + p1
            p02.const_sub(p0).const_sub(p2).const_add(p1),
        ])
    }

    /// The opposite, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_neg(self) -> Self {
        let [a0, a1, a2] = self.0;
        Self([a0.const_neg(), a1.const_neg(), a2.const_neg()])
    }
}

field_operators!(Fp3);
extension_coordinates!(Fp3, Goldilocks, 3);
extension_bytes!(Fp3, Goldilocks, 3);

impl Field for Fp3 {
    const ZERO: Self = Self([Goldilocks::ZERO; 3]);
    const ONE: Self = Self([Goldilocks::ONE, Goldilocks::ZERO, Goldilocks::ZERO]);

    #[inline]
    fn is_canonical(&self) -> bool {
        self.0.iter().all(Field::is_canonical)
    }

    /// `(c0^2 + 4 c1 c2) + 2 (c2^2 + c0 c1) w + (c1^2 + 2 c0 c2) w^2`.
    #[inline]
    fn square(self) -> Self {
        let [c0, c1, c2] = self.0;
        let c12 = c1 * c2;
        let c01 = c0 * c1;
        Self([c0.square() + c12.double().double(), (c2.square() + c01).double(), c1.square() + (c0 * c2).double()])
    }

    /// The adjugate over the norm: `(c0^2 - 2 c1 c2, 2 c2^2 - c0 c1, c1^2 - c0 c2) / N` with
    /// `N = c0 (c0^2 - 2 c1 c2) + 2 c2 (2 c2^2 - c0 c1) + 2 c1 (c1^2 - c0 c2)`.
    fn inverse(self) -> Option<Self> {
        let [c0, c1, c2] = self.0;
        let a0 = c0.square() - (c1 * c2).double();
        let a1 = c2.square().double() - c0 * c1;
        let a2 = c1.square() - c0 * c2;
        let norm = c0 * a0 + (c2 * a1 + c1 * a2).double();
        Some(Self([a0, a1, a2]) * norm.inverse()?)
    }
}
