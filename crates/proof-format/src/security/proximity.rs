//! Proven bounds on words that are near a Reed-Solomon code: how far a cheating prover can be followed, and at what
//! error.
//!
//! `rho` is the rate of the code, `N` its length, `Q` the elements of the field that challenges are drawn from. Words
//! that agree with the code on fewer than `(1 - theta) N` points are *far*. For two words of which one is far, few
//! points of the line through them are near: at most a share `ca` of the field, the error of correlated agreement. On a
//! curve of degree `k` they are `k` times as many. All of it is from Ben-Sasson, Carmon, Haböck, Kopparty, Saraf, *On
//! Proximity Gaps for Reed-Solomon Codes*, ePrint 2025/2055 (BCHKS25):
//!
//! | regime | `theta` | codewords that near | `ca` |
//! |---|---|---|---|
//! | unique decoding, corollary 1.4 | `(1 - rho)/2` | 1 | `(theta N + 1)/Q` |
//! | Johnson bound, theorem 4.2, with `m = max(3, ceil(sqrt(rho)/(2 eta)))`, `h = m + 1/2` | `1 - sqrt(rho) - eta` | `h/rho` | `((2 h^5 + 3 h theta rho)/(3 rho sqrt(rho)) N + h/sqrt(rho))/Q` |
//!
//! In these columns, and in the formulas around them, the public calculator soundcalc of the Ethereum Foundation counts
//! the same, to the bit: `vectors/soundness` has its figures.
//!
//! Older bounds, which tables show beside them, are by Ben-Sasson, Carmon, Ishai, Kopparty, Saraf, *Proximity Gaps for
//! Reed-Solomon Codes*, ePrint 2020/654 (BCIKS20). They count for no figure:
//!
//! | regime | `theta` | codewords that near | `ca` |
//! |---|---|---|---|
//! | unique decoding, theorem 1.4 | `(1 - rho)/2` | 1 | `N/Q` |
//! | Johnson bound, theorem 8.3, with `m` | `1 - sqrt(rho)(1 + 1/(2m))` | `h/sqrt(rho)` | `h^7/(3 rho sqrt(rho)) N^2/Q` |
//!
//! Newer ones are by Dao, Kominers, Thaler, *Reed-Solomon Codes Beyond Johnson*, ePrint 2026/2056 (DKT26). They stand
//! in columns of their own, and count for the figure that is named after them alone:
//!
//! | regime | `theta` | codewords that near | `ca` |
//! |---|---|---|---|
//! | Johnson bound, theorem 5.12, with `m >= 3` | `1 - sqrt(rho)(1 + 1/(2m))` | `(1 - theta - rho)/((1 - theta)^2 - rho)` | `8 h^3/(3 rho') N/Q` |
//! | first order, certificates in whole numbers | `1 - A/N` | by the certificate | the same |
//!
//! `rho' = (k - 1)/N` for the words that are combined, of dimension `k`. A curve of degree `c` has at most `c` times
//! the exceptions of a line: Plonky3's module `security` derives it from the proof of the first, which the paper states
//! for lines; a certificate has the degree in it. Folds are of smaller domains, `N/2^i` points and dimension `k/2^i`,
//! where `N^2/(k - 1)` only falls; certificates are made for each. No floating point flips a figure: numbers of the
//! tables are right to 40 bits or more, and a millionth of a bit is taken off each before it is rounded down.
//!
//! Conjectures take `theta` further, and there one codeword and `ca = N/Q`.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::Limit;
use super::math::{ceil, exp2, log2, power, sqrt};

/// A regime of the analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Proximity {
    /// `theta`.
    pub distance: f64,
    /// Log2 of the number of codewords that near.
    pub log_list: f64,
    errors: Errors,
}

/// The error of agreement.
#[derive(Clone, Debug, PartialEq)]
enum Errors {
    /// `ca Q` is the first times `N^2`, the second times `N` and the third; a curve has it as often as its degree.
    Line([f64; 3]),
    /// `ca Q` is the first times `N^2/(k - 1)`, with the dimension `k` by its share of `N`, the second; of a constant
    /// half the pairs of points. A curve has it as often as its degree.
    Cubic { factor: f64, share: f64 },
    /// Log2 of the exceptional challenges: of the combination of the columns, and of folds by log2 of their points.
    Counted { columns: f64, folds: Vec<f64> },
}

/// The `m` of the Johnson bound that are tried; the first is the least that there is.
pub(super) const MULTIPLICITIES: RangeInclusive<u32> = 3..=1000;

impl Proximity {
    /// Up to half the distance of the code. One of rate 1 or more has none.
    pub fn unique_decoding(rate: f64) -> Self {
        let distance = ((1.0 - rate) / 2.0).max(0.0);
        Self { distance, log_list: 0.0, errors: Errors::Line([0.0, distance, 1.0]) }
    }

    /// The same by the older bound.
    pub fn unique_decoding_2020(rate: f64) -> Self {
        Self::conjectured(((1.0 - rate) / 2.0).max(0.0))
    }

    /// The bounds of the conjectures, at a distance: one codeword, `ca = N/Q`.
    pub fn conjectured(distance: f64) -> Self {
        Self { distance, log_list: 0.0, errors: Errors::Line([0.0, 1.0, 0.0]) }
    }

    /// Up to the Johnson bound, less `eta`. `None` if that leaves nothing.
    pub fn johnson(rate: f64, eta: f64) -> Option<Self> {
        let root = sqrt(rate);
        let distance = 1.0 - root - eta;
        // A number that is whole up to rounding counts as the whole number.
        let multiplicity = ceil(root / (2.0 * eta) - 1e-9).max(f64::from(*MULTIPLICITIES.start()));
        let half = multiplicity + 0.5;
        let slope = (2.0 * power(half, 5) + 3.0 * half * distance * rate) / (3.0 * rate * root);
        let errors = Errors::Line([0.0, slope, half / root]);
        (distance > 0.0).then(|| Self { distance, log_list: log2(half / rate), errors })
    }

    /// The Johnson bound at `m`: `eta = sqrt(rho)/(2m)`.
    pub fn multiplicity(rate: f64, m: u32) -> Option<Self> {
        Self::johnson(rate, sqrt(rate) / (2.0 * f64::from(m)))
    }

    /// The Johnson bound at `m` by the older bound. `None` if that leaves nothing.
    pub fn multiplicity_2020(rate: f64, m: u32) -> Option<Self> {
        let (root, half) = (sqrt(rate), f64::from(m) + 0.5);
        let distance = 1.0 - root * (1.0 + 0.5 / f64::from(m));
        let errors = Errors::Line([power(half, 7) / (3.0 * rate * root), 0.0, 0.0]);
        (distance > 0.0).then(|| Self { distance, log_list: log2(half / root), errors })
    }

    /// The Johnson bound at `m` by the newer bound, for columns of one rate and combined words of another. `None` if
    /// that leaves nothing.
    pub fn multiplicity_2026(rate: f64, share: f64, m: u32) -> Option<Self> {
        let (half, near) = (f64::from(m) + 0.5, sqrt(rate) * (1.0 + 0.5 / f64::from(m)));
        let list = (near - rate) / (near * near - rate);
        let errors = Errors::Cubic { factor: 8.0 * power(half, 3) / 3.0, share };
        (near < 1.0 && share > 0.0).then(|| Self { distance: 1.0 - near, log_list: log2(list), errors })
    }

    /// A regime whose exceptional challenges are counted, by log2: of the combination of the columns, and of folds by
    /// log2 of their points.
    pub(super) fn counted(distance: f64, log_list: f64, columns: f64, folds: Vec<f64>) -> Self {
        Self { distance, log_list, errors: Errors::Counted { columns, folds } }
    }

    /// Log2 of the exceptional challenges of words of `2^log_points` points that a round puts on a curve, whose degree
    /// has that log2. A count of whole numbers has the degree in it.
    pub(super) fn log_exceptional(&self, limit: Limit, log_points: f64, log_degree: f64) -> f64 {
        let points = exp2(log_points);
        match (&self.errors, limit) {
            (Errors::Line([square, slope, offset]), _) => {
                log2((square * points + slope) * points + offset) + log_degree
            }
            (Errors::Cubic { factor, share }, _) => {
                let above = share * points - 1.0;
                let pairs = points * (points - 1.0) / 2.0;
                log2(if above > 0.0 { factor * (points / above) * points } else { pairs }) + log_degree
            }
            (Errors::Counted { folds, .. }, Limit::Folding) => {
                folds.get(log_points as usize).or(folds.last()).copied().unwrap_or(f64::INFINITY)
            }
            (Errors::Counted { columns, .. }, _) => *columns,
        }
    }

    /// Bits that a query is worth: `-log2(1 - theta)`.
    pub fn query_bits(&self) -> f64 {
        -log2(1.0 - self.distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_distance_is_left_at_a_rate_near_one() {
        assert!(Proximity::multiplicity(0.9, 3).is_none());
        assert!(Proximity::multiplicity(0.9, 100).is_some());
    }

    /// Log2 of the newer bound on a line, by its published numbers: log2 of the dimension and of the blowup, `m`.
    #[test]
    fn published_numbers_of_the_cubic_bound() {
        for (log_rows, log_blowup, m, published) in [
            (1, 1, 3, 10.837_102_265_451_657),
            (2, 1, 3, 11.252_139_764_730_5),
            (20, 2, 3, 30.837_103_641_313_52),
            (20, 2, 10, 35.591_991_143_476_99),
        ] {
            let (points, rows) = (exp2(f64::from(log_rows + log_blowup)), exp2(f64::from(log_rows)));
            let regime = Proximity::multiplicity_2026(rows / points / 4.0, rows / points, m).expect("room");
            let found = regime.log_exceptional(Limit::Batching, f64::from(log_rows + log_blowup), 0.0);
            assert!((found - published).abs() < 1e-12, "{found} {published}");
            assert!(
                regime.log_exceptional(Limit::Folding, 4.0, 3.0)
                    == regime.log_exceptional(Limit::Folding, 4.0, 0.0) + 3.0
            );
        }
    }

    /// Shorter words have a dimension of their own, and two of constants meet in one of their points.
    #[test]
    fn the_cubic_bound_of_short_words() {
        let regime = Proximity::multiplicity_2026(0.25, 0.25, 3).expect("room");
        let exceptional = |log_points| exp2(regime.log_exceptional(Limit::Folding, log_points, 0.0));
        let line = 8.0 * 3.5_f64.powi(3) / 3.0;
        for (log_points, expected) in [(4.0, line * 256.0 / 3.0), (3.0, line * 64.0), (2.0, 6.0)] {
            assert!((exceptional(log_points) - expected).abs() < 1e-6, "{log_points}: {}", exceptional(log_points));
        }
    }

    #[test]
    fn the_list_of_the_newer_bound_is_pairwise() {
        let regime = Proximity::multiplicity_2026(0.25, 0.25, 4).expect("room");
        let near: f64 = 0.5 * 1.125;
        assert_eq!(regime.distance, 1.0 - near);
        assert!((exp2(regime.log_list) - (near - 0.25) / (near * near - 0.25)).abs() < 1e-12);
        // It is shorter than the list of the older bound.
        for m in [3, 10, 1000] {
            let older = Proximity::multiplicity(0.25, m).expect("room");
            assert!(Proximity::multiplicity_2026(0.25, 0.25, m).expect("room").log_list < older.log_list);
        }
        assert!(Proximity::multiplicity_2026(0.9, 0.9, 3).is_none());
    }
}
