//! The cubic extension `Fp3 = Fp[w]/(w^3 - 2)` on lanes: one register for each coordinate.

use field::Fp3;

use super::Packed;
use crate::lanes::{ExtLanes, Sources, Targets};

/// `LANES` elements `c0 + c1 w + c2 w^2`, lazy like [`Packed`].
#[derive(Clone, Copy)]
pub struct PackedFp3<V>(pub(crate) [V; 3]);

impl<V: Packed> ExtLanes<V> for PackedFp3<V> {
    type Scalar = Fp3;
    type Word = u64;

    #[inline(always)]
    fn splat(value: Fp3) -> Self {
        let [c0, c1, c2] = value.0;
        Self([V::splat(c0), V::splat(c1), V::splat(c2)])
    }

    #[inline(always)]
    fn from_base(value: V) -> Self {
        Self([value, V::splat_raw(0), V::splat_raw(0)])
    }

    #[inline(always)]
    unsafe fn load(sources: Sources<u64>, at: usize) -> Self {
        let [c0, c1, c2, _] = sources;
        // SAFETY: the caller's promise.
        unsafe { Self([V::load_raw(c0.add(at)), V::load_raw(c1.add(at)), V::load_raw(c2.add(at))]) }
    }

    #[inline(always)]
    unsafe fn store(self, targets: Targets<u64>, at: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            self.0[0].store_raw(targets[0].add(at));
            self.0[1].store_raw(targets[1].add(at));
            self.0[2].store_raw(targets[2].add(at));
        }
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        let [c0, c1, c2] = self.0;
        Self([c0.canonical(), c1.canonical(), c2.canonical()])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, other.0);
        Self([a0.add(b0), a1.add(b1), a2.add(b2)])
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, other.0);
        Self([a0.sub(b0), a1.sub(b1), a2.sub(b2)])
    }

    #[inline(always)]
    fn neg(self) -> Self {
        let [a0, a1, a2] = self.0;
        Self([a0.neg(), a1.neg(), a2.neg()])
    }

    /// `self * other = (a0 b0 + 2 (a1 b2 + a2 b1), a0 b1 + a1 b0 + 2 a2 b2, a0 b2 + a1 b1 + a2 b0)`, with six products:
    /// each cross sum is `(ai + aj)(bi + bj) - ai bi - aj bj`.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
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

    #[inline(always)]
    fn mul_base(self, other: V) -> Self {
        let [a0, a1, a2] = self.0;
        Self([a0.mul(other), a1.mul(other), a2.mul(other)])
    }

    #[inline(always)]
    fn add_base(self, other: V) -> Self {
        let [a0, a1, a2] = self.0;
        Self([a0.add(other), a1, a2])
    }

    /// `a = (c0^2 - 2 c1 c2, 2 c2^2 - c0 c1, c1^2 - c0 c2)`, `n = c0 a0 + 2 (c2 a1 + c1 a2)`.
    #[inline(always)]
    fn adjugate(self) -> (Self, V) {
        let [c0, c1, c2] = self.0;
        let a0 = c0.square().sub(c1.mul(c2).double());
        let a1 = c2.square().double().sub(c0.mul(c1));
        let a2 = c1.square().sub(c0.mul(c2));
        let norm = c0.mul(a0).add(c2.mul(a1).add(c1.mul(a2)).double());
        (Self([a0, a1, a2]), norm)
    }
}
