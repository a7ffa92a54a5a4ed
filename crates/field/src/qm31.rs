//! The extension `CM31[u]/(u^2 - 2 - i)`, of degree 4 over `M31`.

use core::ops::{Add, Mul, Sub};

use crate::cm31::{P_SQUARED, wide};
use crate::macros::{extension_bytes, extension_coordinates, field_operators};
use crate::{CM31, ExtensionField, Field, M31};

/// `(a + bi) + (c + di) u` with `i^2 = -1`, `u^2 = 2 + i`, stored as `[a, b, c, d]`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct QM31(pub [M31; 4]);

impl QM31 {
    /// The element `(a + bi) + (c + di) u`.
    #[inline(always)]
    #[must_use]
    pub const fn new(a: M31, b: M31, c: M31, d: M31) -> Self {
        Self([a, b, c, d])
    }

    /// The element `z0 + z1 u`.
    #[inline(always)]
    #[must_use]
    pub const fn from_cm31(z0: CM31, z1: CM31) -> Self {
        let ([a, b], [c, d]) = (z0.0, z1.0);
        Self([a, b, c, d])
    }

    /// The coordinate of 1 over `CM31` (`z.0` in the protocol document).
    #[inline(always)]
    #[must_use]
    pub const fn z0(self) -> CM31 {
        CM31([self.0[0], self.0[1]])
    }

    /// The coordinate of `u` over `CM31` (`z.1` in the protocol document).
    #[inline(always)]
    #[must_use]
    pub const fn z1(self) -> CM31 {
        CM31([self.0[2], self.0[3]])
    }

    /// `z0 - z1 u`, the conjugate over `CM31`.
    #[inline(always)]
    #[must_use]
    pub const fn conjugate(self) -> Self {
        Self::from_cm31(self.z0(), self.z1().const_neg())
    }

    /// The sum, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_add(self, other: Self) -> Self {
        Self::from_cm31(self.z0().const_add(other.z0()), self.z1().const_add(other.z1()))
    }

    /// The difference, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_sub(self, other: Self) -> Self {
        Self::from_cm31(self.z0().const_sub(other.z0()), self.z1().const_sub(other.z1()))
    }

    /// The product `z0 w0 + (2 + i) z1 w1 + (z0 w1 + z1 w0) u`, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_mul(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        let first = self.z0().const_mul(other.z0()).const_add(times_two_plus_i(self.z1().const_mul(other.z1())));
        // Re and Im of (a + bi)(g + hi) + (c + di)(e + fi): at most 4 p^2 < 2^64 before the one reduction.
        let re = wide(a, g)
            .wrapping_add(wide(c, e))
            .wrapping_add(P_SQUARED.wrapping_sub(wide(b, h)))
            .wrapping_add(P_SQUARED.wrapping_sub(wide(d, f)));
        let im = wide(a, h).wrapping_add(wide(b, g)).wrapping_add(wide(c, f)).wrapping_add(wide(d, e));
        Self::from_cm31(first, CM31([M31::reduce(re), M31::reduce(im)]))
    }

    /// The opposite, usable in constants.
    #[inline(always)]
    #[must_use]
    pub const fn const_neg(self) -> Self {
        Self::from_cm31(self.z0().const_neg(), self.z1().const_neg())
    }
}

/// `(2 + i)(x + yi) = (2x - y) + (x + 2y) i`.
#[inline(always)]
const fn times_two_plus_i(value: CM31) -> CM31 {
    let [x, y] = value.0;
    CM31([x.const_add(x).const_sub(y), x.const_add(y).const_add(y)])
}

field_operators!(QM31);
extension_coordinates!(QM31, M31, 4);
extension_bytes!(QM31, M31, 4);

impl Add<CM31> for QM31 {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: CM31) -> Self {
        Self::from_cm31(self.z0() + other, self.z1())
    }
}

impl Sub<CM31> for QM31 {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: CM31) -> Self {
        Self::from_cm31(self.z0() - other, self.z1())
    }
}

impl Mul<CM31> for QM31 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: CM31) -> Self {
        Self::from_cm31(self.z0() * other, self.z1() * other)
    }
}

impl ExtensionField<CM31> for QM31 {
    const DEGREE: usize = 2;

    #[inline]
    fn coordinates(&self) -> &[CM31] {
        bytemuck::cast_slice(&self.0)
    }

    #[inline]
    fn from_coordinates(coordinates: &[CM31]) -> Option<Self> {
        match coordinates {
            [z0, z1] => Some(Self::from_cm31(*z0, *z1)),
            _ => None,
        }
    }

    #[inline]
    fn basis(index: usize) -> Self {
        assert!(index < 2, "basis element {index} of an extension of degree 2");
        <Self as ExtensionField<M31>>::basis(2 * index)
    }
}

impl Field for QM31 {
    const ZERO: Self = Self([M31::ZERO; 4]);
    const ONE: Self = Self([M31::ONE, M31::ZERO, M31::ZERO, M31::ZERO]);

    #[inline]
    fn is_canonical(&self) -> bool {
        self.0.iter().all(Field::is_canonical)
    }

    /// The conjugate over the norm `z0^2 - (2 + i) z1^2`.
    fn inverse(self) -> Option<Self> {
        let norm = self.z0().square() - times_two_plus_i(self.z1().square());
        Some(self.conjugate() * norm.inverse()?)
    }
}

impl From<CM31> for QM31 {
    #[inline(always)]
    fn from(value: CM31) -> Self {
        Self::from_cm31(value, CM31::ZERO)
    }
}
