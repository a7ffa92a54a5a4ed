//! The cubic extension `Fp3 = Fp[w]/(w^3 - 2)` on lanes: one register for each coordinate.

use field::{Fp3, Goldilocks};

use super::Packed;

/// `LANES` elements `c0 + c1 w + c2 w^2`, lazy like [`Packed`].
#[derive(Clone, Copy)]
pub(crate) struct PackedFp3<V>(pub(crate) [V; 3]);

#[allow(dead_code, reason = "the operations of the backend use what they need of it")]
impl<V: Packed> PackedFp3<V> {
    /// Every lane set to `value`.
    #[inline(always)]
    pub(crate) fn splat(value: Fp3) -> Self {
        let [c0, c1, c2] = value.0;
        Self([V::splat(c0), V::splat(c1), V::splat(c2)])
    }

    /// Lanes of base elements.
    #[inline(always)]
    pub(crate) fn from_base(value: V) -> Self {
        Self([value, V::splat_raw(0), V::splat_raw(0)])
    }

    /// Lanes from three coordinate columns, `LANES` elements each.
    ///
    /// # Panics
    /// If a column is shorter.
    #[inline(always)]
    pub(crate) fn load(columns: [&[Goldilocks]; 3]) -> Self {
        let [c0, c1, c2] = columns;
        Self([V::load(c0), V::load(c1), V::load(c2)])
    }

    /// Canonical lanes into three coordinate columns.
    ///
    /// # Panics
    /// If a column is shorter than `LANES`.
    #[inline(always)]
    pub(crate) fn store(self, columns: [&mut [Goldilocks]; 3]) {
        let [c0, c1, c2] = columns;
        self.0[0].store(c0);
        self.0[1].store(c1);
        self.0[2].store(c2);
    }

    /// `self + other`.
    #[inline(always)]
    pub(crate) fn add(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, other.0);
        Self([a0.add(b0), a1.add(b1), a2.add(b2)])
    }

    /// `self - other`.
    #[inline(always)]
    pub(crate) fn sub(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, other.0);
        Self([a0.sub(b0), a1.sub(b1), a2.sub(b2)])
    }

    /// `-self`.
    #[inline(always)]
    pub(crate) fn neg(self) -> Self {
        let [a0, a1, a2] = self.0;
        Self([a0.neg(), a1.neg(), a2.neg()])
    }

    /// `self * other` for base lanes.
    #[inline(always)]
    pub(crate) fn mul_base(self, other: V) -> Self {
        let [a0, a1, a2] = self.0;
        Self([a0.mul(other), a1.mul(other), a2.mul(other)])
    }

    /// `self + other` for base lanes.
    #[inline(always)]
    pub(crate) fn add_base(self, other: V) -> Self {
        let [a0, a1, a2] = self.0;
        Self([a0.add(other), a1, a2])
    }

    /// `self * other = (a0 b0 + 2 (a1 b2 + a2 b1), a0 b1 + a1 b0 + 2 a2 b2, a0 b2 + a1 b1 + a2 b0)`, with six products:
    /// each cross sum is `(ai + aj)(bi + bj) - ai bi - aj bj`.
    #[inline(always)]
    pub(crate) fn mul(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, other.0);
        let p00 = a0.mul(b0).canonical();
        let p11 = a1.mul(b1).canonical();
        let p22 = a2.mul(b2).canonical();
        let cross12 = (a1.add(a2).mul(b1.add(b2))).sub_canonical(p11).sub_canonical(p22);
        let cross01 = (a0.add(a1).mul(b0.add(b1))).sub_canonical(p00).sub_canonical(p11);
        let cross02 = (a0.add(a2).mul(b0.add(b2))).sub_canonical(p00).sub_canonical(p22);
        Self([
            cross12.double().add_canonical(p00),
            cross01.add_canonical(p22).add_canonical(p22),
            cross02.add_canonical(p11),
        ])
    }

    /// `self^2`.
    #[inline(always)]
    pub(crate) fn square(self) -> Self {
        let [a0, a1, a2] = self.0;
        let twice0 = a0.double();
        let twice2 = a2.double();
        let twice01 = twice0.mul(a1);
        Self([a1.mul(twice2).double().add(a0.square()), twice2.mul(a2).add(twice01), twice0.mul(a2).add(a1.square())])
    }
}
