//! QM31 on lanes, one register a coordinate, and sums of products that are reduced late: four products of canonical
//! elements and a folded number fit into 64 bits, `4 (p - 1)^2 + 2^34 < 2^64`.

use field::{M31, QM31};

use super::{LANES, Lanes};
use crate::lanes::{ExtLanes, Sources, Targets};

/// Sixteen elements of QM31.
#[derive(Clone, Copy)]
pub struct QLanes<V>(pub(crate) [V; 4]);

/// A factor made ready: `c0, c1, -c1, d0, d1, -d1, e0, e1, -e1` with `e = (2 + i) d`.
#[derive(Clone, Copy)]
struct Factor<V>([V; 9]);

impl<V: Lanes> Factor<V> {
    #[inline(always)]
    fn new(y: QLanes<V>) -> Self {
        let [c0, c1, d0, d1] = y.0;
        let (e0, e1) = (d0.add(d0).sub(d1), d0.add(d1.add(d1)));
        Self([c0, c1, c1.neg(), d0, d1, d1.neg(), e0, e1, e1.neg()])
    }

    #[inline(always)]
    fn odds(self) -> Self {
        let mut odds = self.0;
        for lanes in &mut odds {
            *lanes = lanes.odds();
        }
        Self(odds)
    }

    /// The four sums of four products of the even lanes.
    #[inline(always)]
    fn products(&self, x: [V; 4]) -> [V::Products; 4] {
        let [c0, c1, minus_c1, d0, d1, minus_d1, e0, e1, minus_e1] = self.0;
        [
            four(x, [c0, minus_c1, e0, minus_e1]),
            four(x, [c1, c0, e1, e0]),
            four(x, [d0, minus_d1, c0, minus_c1]),
            four(x, [d1, d0, c1, c0]),
        ]
    }
}

#[inline(always)]
fn four<V: Lanes>(x: [V; 4], y: [V; 4]) -> V::Products {
    let first = V::add_products(x[0].mul_even(y[0]), x[1].mul_even(y[1]));
    let second = V::add_products(x[2].mul_even(y[2]), x[3].mul_even(y[3]));
    V::fold(V::add_products(first, second))
}

#[inline(always)]
fn two<V: Lanes>(x: [V; 2], y: [V; 2]) -> V::Products {
    V::fold(V::add_products(x[0].mul_even(y[0]), x[1].mul_even(y[1])))
}

/// `x0 y0 + x1 y1`.
#[inline(always)]
pub(crate) fn two_products<V: Lanes>(x: [V; 2], y: [V; 2]) -> V {
    let odd = two([x[0].odds(), x[1].odds()], [y[0].odds(), y[1].odds()]);
    V::join(two(x, y), odd)
}

impl<V: Lanes> ExtLanes<V> for QLanes<V> {
    type Scalar = QM31;
    type Word = u32;

    #[inline(always)]
    fn splat(value: QM31) -> Self {
        let [a, b, c, d] = value.0;
        Self([V::splat(a.value()), V::splat(b.value()), V::splat(c.value()), V::splat(d.value())])
    }

    #[inline(always)]
    fn from_base(value: V) -> Self {
        Self([value, V::splat(0), V::splat(0), V::splat(0)])
    }

    #[inline(always)]
    unsafe fn load(from: Sources<u32>, at: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self([
                V::load(from[0].add(at)),
                V::load(from[1].add(at)),
                V::load(from[2].add(at)),
                V::load(from[3].add(at)),
            ])
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: Targets<u32>, at: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            self.0[0].store(to[0].add(at));
            self.0[1].store(to[1].add(at));
            self.0[2].store(to[2].add(at));
            self.0[3].store(to[3].add(at));
        }
    }

    /// Lanes are canonical.
    #[inline(always)]
    fn canonical(self) -> Self {
        self
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a.add(e), b.add(f), c.add(g), d.add(h)])
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a.sub(e), b.sub(f), c.sub(g), d.sub(h)])
    }

    #[inline(always)]
    fn neg(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a.neg(), b.neg(), c.neg(), d.neg()])
    }

    #[inline(always)]
    fn add_base(self, other: V) -> Self {
        let [a, b, c, d] = self.0;
        Self([a.add(other), b, c, d])
    }

    #[inline(always)]
    fn mul_base(self, other: V) -> Self {
        let even = other.wrapping_add(other);
        let odd = even.odds();
        let [a, b, c, d] = self.0;
        Self([
            a.mul_prepared(even, odd),
            b.mul_prepared(even, odd),
            c.mul_prepared(even, odd),
            d.mul_prepared(even, odd),
        ])
    }

    /// The product, in 16 multiplications and 4 reductions for each half of the lanes.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let factor = Factor::new(other);
        let [a, b, c, d] = self.0;
        let even = factor.products(self.0);
        let odd = factor.odds().products([a.odds(), b.odds(), c.odds(), d.odds()]);
        Self([V::join(even[0], odd[0]), V::join(even[1], odd[1]), V::join(even[2], odd[2]), V::join(even[3], odd[3])])
    }

    /// `(a, n)` with `self * a = n` in M31, and `n = 0` only for zero: the inverse is `a / n`. With `z = z0 + z1 u` and
    /// `N = z0^2 - (2 + i) z1^2`, `a` is `(z0 - z1 u)` times the conjugate of `N`, and `n` is the norm of `N`.
    #[inline(always)]
    fn adjugate(self) -> (Self, V) {
        let [a, b, c, d] = self.0;
        let (square_re, half_im) = (two_products([a, b], [a, b.neg()]), a.mul(b));
        let (other_re, other_half) = (two_products([c, d], [c, d.neg()]), c.mul(d));
        let other_im = other_half.add(other_half);
        let re = square_re.sub(other_re.add(other_re).sub(other_im));
        let im = half_im.add(half_im).sub(other_re.add(other_im.add(other_im)));
        let conjugate = Self([a, b, c.neg(), d.neg()]);
        (conjugate.mul_complex(re, im.neg()), two_products([re, im], [re, im]))
    }
}

impl<V: Lanes> QLanes<V> {
    /// `self * (re + im i)`.
    #[inline(always)]
    pub(crate) fn mul_complex(self, re: V, im: V) -> Self {
        let minus = im.neg();
        let [a, b, c, d] = self.0;
        Self([
            two_products([a, b], [re, minus]),
            two_products([a, b], [im, re]),
            two_products([c, d], [re, minus]),
            two_products([c, d], [im, re]),
        ])
    }
}

/// A sum of elements times weights in QM31, reduced late.
#[derive(Clone, Copy)]
pub(crate) struct Dot<V: Lanes> {
    even: [V::Products; 4],
    odd: [V::Products; 4],
}

impl<V: Lanes> Dot<V> {
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Self { even: [V::no_products(); 4], odd: [V::no_products(); 4] }
    }

    /// Adds `x * weight`, of which the even and the odd lanes are in even places. Four times between two folds.
    #[inline(always)]
    pub(crate) fn add(&mut self, x: V, even: [V; 4], odd: [V; 4]) {
        let odds = x.odds();
        for k in 0..4 {
            self.even[k] = V::add_products(self.even[k], x.mul_even(even[k]));
            self.odd[k] = V::add_products(self.odd[k], odds.mul_even(odd[k]));
        }
    }

    #[inline(always)]
    pub(crate) fn fold(&mut self) {
        for k in 0..4 {
            self.even[k] = V::fold(self.even[k]);
            self.odd[k] = V::fold(self.odd[k]);
        }
    }

    /// The sum; it must be folded.
    #[inline(always)]
    pub(crate) fn sum(self) -> QLanes<V> {
        QLanes([
            V::join(self.even[0], self.odd[0]),
            V::join(self.even[1], self.odd[1]),
            V::join(self.even[2], self.odd[2]),
            V::join(self.even[3], self.odd[3]),
        ])
    }
}

/// Registers of rows that [`dot`] deals with at a time.
const WIDE: usize = 2;

/// `out = sum over columns of weight * column`, for `rows` rows, a multiple of 16.
///
/// # Safety
/// The columns must be readable and `out` writable for `rows` words; there are as many weights as columns.
#[inline(always)]
pub(crate) unsafe fn dot<V: Lanes>(columns: &[*const u32], weights: &[QM31], rows: usize, out: Targets<u32>) {
    let mut row = 0;
    while row + WIDE * LANES <= rows {
        // SAFETY: the caller's promise.
        unsafe { dot_at::<V, WIDE>(columns, weights, row, out) };
        row += WIDE * LANES;
    }
    while row < rows {
        // SAFETY: the caller's promise.
        unsafe { dot_at::<V, 1>(columns, weights, row, out) };
        row += LANES;
    }
}

/// # Safety
/// As for [`dot`], from row `row` on.
#[inline(always)]
unsafe fn dot_at<V: Lanes, const N: usize>(columns: &[*const u32], weights: &[QM31], row: usize, out: Targets<u32>) {
    let mut sums = [Dot::<V>::zero(); N];
    for (columns, weights) in columns.chunks(4).zip(weights.chunks(4)) {
        for (column, weight) in columns.iter().zip(weights) {
            let weight = QLanes::<V>::splat(*weight).0;
            for (n, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                sum.add(unsafe { V::load(column.add(row + n * LANES)) }, weight, weight);
            }
        }
        for sum in &mut sums {
            sum.fold();
        }
    }
    for (n, sum) in sums.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { sum.sum().store(out, row + n * LANES) };
    }
}

/// The sum of the lanes.
#[inline(always)]
pub(crate) fn sum_lanes<V: Lanes>(value: QLanes<V>) -> QM31 {
    let mut result = [M31::new(0); 4];
    for (result, coordinate) in result.iter_mut().zip(value.0) {
        let mut lanes = [0; LANES];
        // SAFETY: sixteen words.
        unsafe { coordinate.store(lanes.as_mut_ptr()) };
        let mut sum = 0;
        for lane in lanes {
            sum += u64::from(lane);
        }
        *result = M31::reduce(sum);
    }
    QM31(result)
}
