//! Sums of points: the third point of the curve on the line through two of them, mirrored.
//!
//! With the slope `s` of the line through `p` and `q`: `x = s^2 - p.x - q.x` and `y = s (p.x - x) - p.y`.

use super::super::felt::{felt_limbs, mul_check, product_limbs, rc99};
use super::super::machine::{LIMBS, Machine, W};
use super::Point;

/// A line through two points, or one that touches the curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'r> {
    kind: Kind<'r>,
    slope: W<'r>,
    p: Point<'r>,
    q: Point<'r>,
    /// The sum.
    pub(super) sum: Point<'r>,
}

#[derive(Clone, Copy, Debug)]
enum Kind<'r> {
    Through,
    Touching { square: W<'r>, twice: W<'r> },
}

impl<'r> Line<'r> {
    /// Through two points: `s = (q.y - p.y)/(q.x - p.x)`. One x of both is a fault of the row, which `distinct` names.
    pub(super) fn through(machine: &Machine<'r>, p: Point<'r>, q: Point<'r>, distinct: &str) -> Self {
        machine.recorder().assert(distinct, p.x.same(q.x) ^ 1);
        let slope = q.x.felt_sub(p.x).felt_inverse().felt_mul(q.y.felt_sub(p.y));
        Self::new(Kind::Through, slope, p, q)
    }

    /// Along the curve at `p`: `s = (3 p.x^2 + 1)/(2 p.y)`. A y of zero is a fault of the row, which `nonzero` names.
    pub(super) fn touching(machine: &Machine<'r>, p: Point<'r>, nonzero: &str) -> Self {
        let (square, twice) = (p.x.felt_mul(p.x), p.y.felt_add(p.y));
        machine.recorder().assert(nonzero, twice.same(machine.word(0)) ^ 1);
        let rise = square.felt_add(square).felt_add(square).felt_add(machine.felt([1, 0, 0, 0, 0, 0, 0, 0]));
        Self::new(Kind::Touching { square, twice }, twice.felt_inverse().felt_mul(rise), p, p)
    }

    fn new(kind: Kind<'r>, slope: W<'r>, p: Point<'r>, q: Point<'r>) -> Self {
        let x = slope.felt_mul(slope).felt_sub(p.x).felt_sub(q.x);
        let y = slope.felt_mul(p.x.felt_sub(x)).felt_sub(p.y);
        Self { kind, slope, p, q, sum: Point { x, y } }
    }

    /// Columns with their requests, which show
    ///
    /// - for a line that touches `p.x^2` first, 28 limbs, `k` and 27 carries, and `2 p.y`, 28 limbs and whether it is
    ///   odd;
    /// - then, 56 each, the slope, x and y of the sum: 28 limbs, `k` and 27 carries. They belong to `s dx = dy` (or
    ///   `s 2 p.y = 3 p.x^2 + 1`), of `s s = x + p.x + q.x` and of `s (p.x - x) = y + p.y`, where sums and differences
    ///   are of limbs.
    pub(super) fn columns(&self, machine: &Machine<'r>) {
        let limbs = |x| felt_limbs(machine, x);
        let column = |value| {
            rc99(machine, value, LIMBS / 2);
            machine.columns(limbs(value));
        };
        let product = |a, b, r| machine.signed_columns(mul_check(machine, product_limbs(machine, a, b, r)));
        let (slope, x, y) = (limbs(self.slope), limbs(self.sum.x), limbs(self.sum.y));
        let [px, py, qx, qy] = [self.p.x, self.p.y, self.q.x, self.q.y].map(limbs);
        let (divisor, dividend) = match self.kind {
            Kind::Through => (qx - px, qy - py),
            Kind::Touching { square, twice } => {
                column(square);
                product(px, px, limbs(square));
                column(twice);
                machine.columns(twice.at(0) & 1);
                let mut one = [0; LIMBS];
                one[0] = 1;
                (limbs(twice), limbs(square) * 3 + machine.recorder().words(&one))
            }
        };
        column(self.slope);
        product(slope, divisor, dividend);
        column(self.sum.x);
        product(slope, slope, x + px + qx);
        column(self.sum.y);
        product(slope, px - x, y + py);
    }
}
