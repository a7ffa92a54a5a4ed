//! Points in Jacobian coordinates: `(X / Z^2, Y / Z^3)`, so that a sum needs no division.
//!
//! Comments say how many times p numbers are at most; every coordinate of a point is below 2p. A product of numbers
//! below `A p` and `B p` is below `(1 + A B / 32) p`.

use field::stark252::Felt252 as Exact;
#[cfg(feature = "vm")]
use field::stark252::inverse;
use field::stark252::lazy::{Number, folded, is_zero, minus, multiple, plus, product, square};

/// The coordinates of a point, in Montgomery form, below 2p.
pub(crate) type Affine = [Number; 2];

/// A point in Jacobian coordinates. One with Z = 0 stands for a sum that does not exist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    x: Number,
    y: Number,
    z: Number,
}

impl From<Affine> for Point {
    fn from([x, y]: Affine) -> Self {
        Self { x, y, z: Exact::ONE.montgomery() }
    }
}

impl Point {
    /// Twice the point, which has no y = 0, as the curve's order is an odd prime.
    #[inline]
    pub(crate) fn double(&self) -> Self {
        let (y2, z2) = (square(self.y), square(self.z));
        // 1.1p, so that s is below 4.4p.
        let xy2 = product(self.x, y2);
        let s = plus(plus(xy2, xy2), plus(xy2, xy2));
        // 1.2p and 1.1p.
        let x2 = square(self.x);
        let slope = plus(plus(x2, x2), plus(x2, square(z2)));
        // 1.7p + 9p - 8.8p.
        let x = folded(minus(plus(square(slope), multiple(9)), plus(s, s)));
        // 1.1p, so that eight are below 9p.
        let y4 = square(y2);
        let y4 = plus(plus(y4, y4), plus(y4, y4));
        // 4.7p times 6.4p are 2p.
        let up = product(slope, minus(plus(s, multiple(2)), x));
        let y = folded(minus(plus(up, multiple(9)), plus(y4, y4)));
        Self { x, y, z: product(plus(self.y, self.y), self.z) }
    }

    /// The sum of points with (x, y) scaled to the same Z, of which `h` and `r` are the differences from the first one
    /// to the second one, below 3.2p.
    #[inline(always)]
    fn sum([x, y]: Affine, h: Number, r: Number, z: Number) -> Self {
        // 1.4p, 1.2p and 1.1p.
        let h2 = square(h);
        let h3 = product(h2, h);
        let v = product(x, h2);
        // 1.4p + 4p - 3.4p.
        let x3 = folded(minus(plus(square(r), multiple(4)), plus(h3, plus(v, v))));
        let up = product(r, minus(plus(v, multiple(2)), x3));
        let y3 = folded(minus(plus(up, multiple(2)), product(y, h3)));
        Self { x: x3, y: y3, z }
    }

    /// Both points, each scaled to the Z of their product; `None` if they have the same x.
    #[inline]
    pub(crate) fn beside(&self, other: &Self) -> Option<Pair> {
        let (z2, other_z2) = (square(self.z), square(other.z));
        let x = product(self.x, other_z2);
        let h = minus(plus(product(other.x, z2), multiple(2)), x);
        (!is_zero(h)).then_some(Pair { of: [*self, *other], z2: [z2, other_z2], x, h })
    }
}

/// Sums by tables and results of runs need these.
#[cfg(feature = "vm")]
impl Point {
    /// The sum with a point that has another x. With the same x it has Z = 0, which stays in all further sums.
    #[inline]
    pub(crate) fn plus_affine(&self, [x, y]: &Affine) -> Self {
        let z2 = square(self.z);
        let h = minus(plus(product(*x, z2), multiple(2)), self.x);
        let r = minus(plus(product(*y, product(self.z, z2)), multiple(2)), self.y);
        Self::sum([self.x, self.y], h, r, product(self.z, h))
    }

    /// The coordinates; `None` of a sum that does not exist.
    pub(crate) fn affine(&self) -> Option<Affine> {
        (!is_zero(self.z)).then(|| self.over(inverse(self.z)))
    }

    /// Z.
    pub(crate) fn z(&self) -> Number {
        self.z
    }

    /// The coordinates, of a point and the inverse of its Z.
    pub(crate) fn over(&self, inverse: Number) -> Affine {
        let square = square(inverse);
        [product(self.x, square), product(self.y, product(square, inverse))]
    }
}

/// Two points with different x.
pub(crate) struct Pair {
    of: [Point; 2],
    /// The squares of their Z.
    z2: [Number; 2],
    /// The first one's x, scaled, and how far the second one's is from it.
    x: Number,
    h: Number,
}

impl Pair {
    /// Their sum.
    #[inline]
    pub(crate) fn sum(&self) -> Point {
        let ([a, b], [a2, b2]) = (&self.of, self.z2);
        let y = product(a.y, product(b2, b.z));
        let r = minus(plus(product(b.y, product(a2, a.z)), multiple(2)), y);
        Point::sum([self.x, y], self.h, r, product(product(a.z, b.z), self.h))
    }
}
