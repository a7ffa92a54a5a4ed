//! Certificates past the Johnson radius: how many challenges may let words that are far from a Reed-Solomon code come
//! near it, and how many codewords are near a word, as whole numbers.
//!
//! They are of Dao, Kominers, Thaler, *Reed-Solomon Codes Beyond Johnson: Efficient Decoding and Smaller Cryptographic
//! Proofs*, ePrint 2026/2056 (DKT26), the first-order regime: polynomials `Q(X, Y, Y')` of multiplicity `m` at the
//! points of the word and its derivative, of total degree `mu` at most in `Y` and `Y'` and of degree `M` at most in
//! `Y'`. A [`Support`] is a choice of the three. Any choice is right, and a search only looks for a good one. The
//! numbers are those of the authors' programs (`rs-beyond-johnson`, *sharp-squarefree*), which the tests compare; the
//! theorem behind the count of challenges is checked by Lean in ArkLib
//! (`exists_exceptional_retainedSquarefreeCurveMCA_sharp_optimized`).
//!
//! Everything here is whole numbers. A sum of fractions is rounded up once, at its end; where a common denominator is
//! too large for 128 bits, a fraction is rounded up before, and where a number is, there is no certificate. So no bound
//! is ever too small.

/// A choice of polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Support {
    /// Their multiplicity at each point, `m`.
    pub(super) multiplicity: u64,
    /// Their most degree in the derivative, `M`: 1 to `mu`.
    pub(super) derivative: u64,
    /// Their most total degree in the polynomial and its derivative, `mu`.
    pub(super) degree: u64,
}

/// A Reed-Solomon code, and the number of points on which a word agrees with one of its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Agreement {
    /// Points of the code, `n`.
    pub(super) points: u64,
    /// Its dimension, `k`.
    pub(super) dimension: u64,
    /// Points of agreement, `A`.
    pub(super) agreement: u64,
}

/// Degrees that both counts share.
struct Degrees {
    /// Degree of the chart of solutions that a regular polynomial has.
    fiber: u128,
    /// Degree of the polynomial in `Y` alone that is left where it is not regular.
    ordinary: u128,
    /// `2 D - 3`, the exponent of a solution's series.
    taylor: u128,
    /// Degrees of the regular polynomial in all unknowns, and in the derivative.
    total: u128,
    derivative: u128,
}

impl Agreement {
    /// The degree of the code's polynomials, if the theorems are about it: `1 <= D <= n - 2`, `D + 1 < A <= n`.
    fn message_degree(&self) -> Option<u64> {
        let degree = self.dimension.checked_sub(1)?;
        let holds = degree >= 1 && degree + 2 <= self.points && self.dimension < self.agreement;
        (holds && self.agreement <= self.points && self.points <= 1 << 32).then_some(degree)
    }

    /// The least degree in the challenge at which there is a polynomial for each word on a curve of degree `curve`:
    /// where its coefficients outnumber its equations.
    pub(super) fn height(&self, support: &Support, curve: u64) -> Option<u128> {
        let degree = i128::from(self.message_degree()?);
        let (m, most) = (i128::from(support.multiplicity), i128::from(support.derivative));
        let [points, curve] = [self.points, curve].map(i128::from);
        let weight = m * i128::from(self.agreement);
        // The surplus at height `h` is the sum over all `t` with `curve t <= h` of `surplus(t) (h + 1 - curve t)`: a
        // line between two multiples of `curve`.
        let (mut slope, mut at_zero) = (0_i128, 0_i128);
        for t in 0..=i128::from(support.degree) {
            let surplus = coefficients(t, most, weight - degree * t) - points * equations(t, most, m);
            let start = curve * t;
            slope = slope.checked_add(surplus)?;
            at_zero = at_zero.checked_add(surplus.checked_mul(1 - start)?)?;
            let value = slope.checked_mul(start)?.checked_add(at_zero)?;
            if value > 0 {
                return u128::try_from(start).ok();
            }
            if slope > 0 {
                let height = start.max((-at_zero).div_euclid(slope) + 1);
                if t == i128::from(support.degree) || height < start + curve {
                    return u128::try_from(height).ok();
                }
            }
        }
        None
    }

    /// Most challenges of a curve of degree `curve` through far words on which a word is near: the words are not near
    /// on the same points.
    pub(super) fn exceptional(&self, support: &Support, curve: u64) -> Option<u128> {
        let height = self.height(support, curve)?;
        let degree = u128::from(self.message_degree()?);
        let Degrees { fiber, ordinary, taylor, total, derivative } = support.degrees(degree)?;
        let (b, m, ell) = (u128::from(support.degree), u128::from(support.derivative), u128::from(curve));
        debug_assert!(m >= 1 && m <= b);
        let inner = total.checked_mul(2)?.checked_mul(derivative)? - derivative.checked_mul(derivative)?;
        let shift = ell.checked_add(taylor.checked_mul(height)?)?;
        let regular = height.checked_mul(inner)?.checked_add(shift.checked_mul(2 * fiber)?)?;
        // The rest, where the polynomial is not regular, has a height of its own.
        let left = (2 * m - 1).checked_mul(height)?;
        let psi = 1 + (2 * degree - 1) * (2 * ordinary - 1) + 2 * ordinary.saturating_sub(2 * degree + 1);
        let joint = ell.checked_mul(ordinary)?.checked_add(left.checked_mul(psi)?)?;
        let fixed = (2 * ordinary - 1).checked_mul(left)?;
        let [n, a, d] = [self.points, self.agreement, self.dimension - 1];
        let tail = |l: u64| {
            let chance = Mixed::whole(joint).times(n - l + 1, a - l + 1)?;
            let rest = ell.checked_mul(u128::from(n - l))?.checked_mul(ordinary)?;
            chance.plus(Mixed::whole(fixed.checked_add(rest)?))
        };
        let chart = |l: u64| {
            let joint = Mixed::whole(regular).times(n - d, a - d)?.times(n - l + 1, a - l + 1)?;
            let line = ell.checked_mul(u128::from(n - l))?.checked_mul(fiber)?;
            joint.plus(Mixed::whole(line).times(n - d, l - d)?)
        };
        let (tail, chart) = (self.least(&tail)?, self.least(&chart)?);
        tail.plus(chart)?.up()
    }

    /// The same for few points, by counting: `k + 1` of the points of agreement are already in no common codeword, and
    /// each such set lets at most as many challenges through as the curve has degrees.
    pub(super) fn exceptional_of_few(&self, curve: u64) -> Option<u128> {
        let (points, taken) = (u128::from(self.points), u128::from(self.dimension) + 1);
        let holds = self.dimension < self.agreement && self.agreement <= self.points;
        let mut sets = 1_u128;
        if !holds {
            return None;
        }
        for index in 0..taken.min(points - taken) {
            sets = sets.checked_mul(points - index)? / (index + 1);
        }
        sets.checked_mul(u128::from(curve))
    }

    /// The least value of a convex function of a number of points between `k` and `A`. Every number is right, so that
    /// a wrong turn costs nothing but sharpness.
    fn least(&self, value: &dyn Fn(u64) -> Option<Mixed>) -> Option<Mixed> {
        let (mut low, mut high) = (self.dimension, self.agreement);
        let up = |l| value(l).and_then(Mixed::up).unwrap_or(u128::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            if up(middle + 1) < up(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        value(low)
    }

    /// Most codewords that agree with a word on so many points; of an interleaved word, too, because the bound is the
    /// same over each larger field.
    pub(super) fn list(&self, support: &Support) -> Option<u128> {
        self.height(support, 1)?;
        let degree = u128::from(self.message_degree()?);
        let Degrees { fiber, ordinary, .. } = support.degrees(degree)?;
        let d = self.dimension - 1;
        let regular = Mixed::whole(fiber).times(self.points - d, self.agreement - d)?;
        regular.plus(Mixed::whole(ordinary))?.up()
    }
}

impl Support {
    fn degrees(&self, degree: u128) -> Option<Degrees> {
        let (b, m) = (u128::from(self.degree), u128::from(self.derivative));
        let taylor = (2 * degree).saturating_sub(3);
        let total = 1 + taylor.checked_mul(b - 1)?;
        let derivative = total.min(taylor * (m - 1) + degree);
        let fiber = b * derivative + m * (total - derivative);
        Some(Degrees { fiber, ordinary: b.max((2 * m - 1) * b - m * m), taylor, total, derivative })
    }
}

/// Coefficients of the polynomials of total degree `t` in `Y` and `Y'`, where those in `Y` alone have `base`: the
/// derivative has one more degree of room, to the power that it has.
fn coefficients(t: i128, most: i128, base: i128) -> i128 {
    let (cap, low) = (t.min(most), (1 - base).max(0));
    if low > cap { 0 } else { (cap - low + 1) * base + (low + cap) * (cap - low + 1) / 2 }
}

/// Equations of one point for polynomials of total degree `t`, at most.
fn equations(t: i128, most: i128, m: i128) -> i128 {
    let rows = (t - most).max(0)..m;
    rows.map(|u| (t.min(u) - (t - most).max(0) + 1).max(0).min(m - u)).sum()
}

/// A whole number and a fraction below 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mixed {
    whole: u128,
    part: u128,
    of: u128,
}

impl Mixed {
    fn whole(whole: u128) -> Self {
        Self { whole, part: 0, of: 1 }
    }

    /// With a fraction that may be more than 1, if its numbers are known; otherwise with the next whole number.
    fn carried(whole: u128, fraction: Option<(u128, u128)>, otherwise: u128) -> Option<Self> {
        match fraction {
            Some((part, of)) => Some(Self { whole: whole.checked_add(part / of)?, part: part % of, of }),
            None => Some(Self::whole(whole.checked_add(otherwise)?)),
        }
    }

    /// `self * by / of`.
    fn times(self, by: u64, of: u64) -> Option<Self> {
        let (by, of) = (u128::from(by), u128::from(of));
        let rest = self.whole % of * by;
        let whole = (self.whole / of).checked_mul(by)?.checked_add(rest / of)?;
        let fraction = || {
            let part = self.part.checked_mul(by)?.checked_add((rest % of).checked_mul(self.of)?)?;
            Some((part, self.of.checked_mul(of)?))
        };
        // The fraction is less than 1 times `by / of`, and a remainder below 1.
        Self::carried(whole, fraction(), by.div_ceil(of) + 1)
    }

    fn plus(self, other: Self) -> Option<Self> {
        let fraction = || {
            let part = self.part.checked_mul(other.of)?.checked_add(other.part.checked_mul(self.of)?)?;
            Some((part, self.of.checked_mul(other.of)?))
        };
        Self::carried(self.whole.checked_add(other.whole)?, fraction(), 2)
    }

    /// The least whole number that is no less.
    fn up(self) -> Option<u128> {
        self.whole.checked_add(u128::from(self.part > 0))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// A code with few points, and a support for it.
    fn small() -> (Agreement, Support) {
        let code = Agreement { points: 20, dimension: 4, agreement: 15 };
        (code, Support { multiplicity: 3, derivative: 1, degree: 6 })
    }

    #[test]
    fn published_numbers() {
        let table = include_str!("../../../../vectors/soundness/first-order.tsv");
        let mut compared = [0; 3];
        for line in table.lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let number = |column: usize| columns[column].parse::<u64>().expect("a number");
            let code = Agreement { points: number(1), dimension: number(2), agreement: number(3) };
            let support = Support { multiplicity: number(5), derivative: number(6), degree: number(7) };
            let found: [&dyn Fn() -> Option<u128>; 3] =
                [&|| code.height(&support, number(4)), &|| code.exceptional(&support, number(4)), &|| {
                    code.list(&support)
                }];
            for (index, found) in found.into_iter().enumerate() {
                let Ok(published) = columns[8 + index].parse::<u128>() else { continue };
                assert_eq!(found(), Some(published), "{line}");
                compared[index] += 1;
            }
        }
        assert_eq!(compared, [22, 8, 9]);
    }

    /// There are more coefficients than equations at the height, and not one below it: the surplus is summed anew.
    #[test]
    fn the_height_is_the_least() {
        let (code, support) = small();
        for curve in [1, 2, 7] {
            let height = code.height(&support, curve).expect("a certificate") as i128;
            let (degree, most, m) = (3, i128::from(support.derivative), i128::from(support.multiplicity));
            let weight = m * i128::from(code.agreement);
            let surplus = |height: i128| -> i128 {
                let of = |t| {
                    let equations = i128::from(code.points) * equations(t, most, m);
                    let room = (height + 1 - i128::from(curve) * t).max(0);
                    (coefficients(t, most, weight - degree * t) - equations) * room
                };
                (0..=i128::from(support.degree)).map(of).sum()
            };
            assert!(surplus(height) > 0 && (0..height).all(|below| surplus(below) <= 0), "{curve}: {height}");
        }
    }

    /// Neither at a rate of one, nor for constants, nor where all points agree with nothing, nor past the regime.
    #[test]
    fn there_are_codes_without_certificates() {
        let (code, support) = small();
        assert!(code.exceptional(&support, 1).is_some() && code.list(&support).is_some());
        for (points, dimension, agreement) in
            [(20, 20, 20), (20, 1, 15), (20, 0, 15), (20, 4, 21), (20, 15, 15), (20, 4, 5)]
        {
            let other = Agreement { points, dimension, agreement };
            assert_eq!((other.exceptional(&support, 1), other.list(&support)), (None, None), "{other:?}");
        }
        // A number beyond 128 bits is no number.
        let large = Agreement { points: 1 << 32, dimension: 1 << 31, agreement: 3_100_000_000 };
        let support = Support { multiplicity: 64, derivative: 19, degree: 88 };
        assert!(large.exceptional(&support, 1).is_some() && large.exceptional(&support, u64::MAX).is_none());
    }

    /// The formula of `docs/security.md` at all numbers of points, for a code of lines, where its last term counts.
    #[test]
    fn the_best_numbers_of_points_are_found() {
        let code = Agreement { points: 40, dimension: 2, agreement: 20 };
        let support = Support { multiplicity: 6, derivative: 2, degree: 12 };
        for curve in [1, 3] {
            let height = code.height(&support, curve).expect("a certificate") as f64;
            let (n, a, d, c) = (40.0, 20.0, 1.0, curve as f64);
            // 2 D - 3 counts as nothing for lines: u = v = 1.
            let (fiber, left) = (12.0, (3.0 * 12.0 - 4.0_f64).max(12.0));
            let psi = 1.0 + (2.0 * left - 1.0) + 2.0 * (left - 3.0);
            let tail = |l: f64| {
                let joint = c * left + 3.0 * height * psi;
                (2.0 * left - 1.0) * 3.0 * height + (n - l + 1.0) / (a - l + 1.0) * joint + c * (n - l) * left
            };
            let chart = |l: f64| {
                let joint = height + 2.0 * c * fiber;
                (n - l + 1.0) / (a - l + 1.0) * (n - d) / (a - d) * joint + c * (n - l) * (n - d) / (l - d) * fiber
            };
            let least = |of: &dyn Fn(f64) -> f64| (2..=20).map(|l| of(f64::from(l))).fold(f64::MAX, f64::min);
            let expected = (least(&tail) + least(&chart) - 1e-6).ceil();
            assert_eq!(code.exceptional(&support, curve).map(|found| found as f64), Some(expected), "{curve}");
        }
    }

    #[test]
    fn few_points_are_counted() {
        let few = Agreement { points: 8, dimension: 4, agreement: 6 };
        assert_eq!((few.exceptional_of_few(1), few.exceptional_of_few(3)), (Some(56), Some(168)));
        assert_eq!(Agreement { dimension: 1, ..few }.exceptional_of_few(2), Some(56));
        assert_eq!(Agreement { agreement: 4, ..few }.exceptional_of_few(1), None);
    }

    #[test]
    fn fractions_are_rounded_up_once_or_before_they_overflow() {
        let third = Mixed::whole(1).times(1, 3).unwrap();
        let sum = third.plus(third).and_then(|sum| sum.plus(third)).unwrap();
        assert_eq!((third.up(), sum.up(), sum.whole), (Some(1), Some(1), 1));
        assert_eq!(Mixed::whole(10).times(7, 4).unwrap(), Mixed { whole: 17, part: 2, of: 4 });
        let (mut exact, mut least) = (Mixed::whole(1), 1.0);
        for of in [u64::MAX, u64::MAX - 2, u64::MAX - 4] {
            exact = exact.times(of - 1, of).unwrap();
            least *= (of - 1) as f64 / of as f64;
            assert!(exact.up() >= Some(1) && exact.whole as f64 + 1.0 >= least);
        }
        assert!(Mixed::whole(u128::MAX).times(2, 1).is_none() && Mixed::whole(u128::MAX).plus(third).is_some());
    }
}
