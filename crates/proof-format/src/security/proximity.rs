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
//! Conjectures take `theta` further, and there one codeword and `ca = N/Q`.

use core::ops::RangeInclusive;

use super::math::{ceil, exp2, log2, power, sqrt};

/// A regime of the analysis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// `theta`.
    pub distance: f64,
    /// Log2 of the number of codewords that near.
    pub log_list: f64,
    /// `ca Q` is the first times `N^2`, the second times `N` and the third.
    agreement: [f64; 3],
}

/// The `m` of the Johnson bound that are tried; the first is the least that there is.
pub(super) const MULTIPLICITIES: RangeInclusive<u32> = 3..=1000;

impl Proximity {
    /// Up to half the distance of the code. One of rate 1 or more has none.
    pub fn unique_decoding(rate: f64) -> Self {
        let distance = ((1.0 - rate) / 2.0).max(0.0);
        Self { distance, log_list: 0.0, agreement: [0.0, distance, 1.0] }
    }

    /// The same by the older bound.
    pub fn unique_decoding_2020(rate: f64) -> Self {
        Self::conjectured(((1.0 - rate) / 2.0).max(0.0))
    }

    /// The bounds of the conjectures, at a distance: one codeword, `ca = N/Q`.
    pub fn conjectured(distance: f64) -> Self {
        Self { distance, log_list: 0.0, agreement: [0.0, 1.0, 0.0] }
    }

    /// Up to the Johnson bound, less `eta`. `None` if that leaves nothing.
    pub fn johnson(rate: f64, eta: f64) -> Option<Self> {
        let root = sqrt(rate);
        let distance = 1.0 - root - eta;
        // A number that is whole up to rounding counts as the whole number.
        let multiplicity = ceil(root / (2.0 * eta) - 1e-9).max(f64::from(*MULTIPLICITIES.start()));
        let half = multiplicity + 0.5;
        let slope = (2.0 * power(half, 5) + 3.0 * half * distance * rate) / (3.0 * rate * root);
        let agreement = [0.0, slope, half / root];
        (distance > 0.0).then(|| Self { distance, log_list: log2(half / rate), agreement })
    }

    /// The Johnson bound at `m`: `eta = sqrt(rho)/(2m)`.
    pub fn multiplicity(rate: f64, m: u32) -> Option<Self> {
        Self::johnson(rate, sqrt(rate) / (2.0 * f64::from(m)))
    }

    /// The Johnson bound at `m` by the older bound. `None` if that leaves nothing.
    pub fn multiplicity_2020(rate: f64, m: u32) -> Option<Self> {
        let (root, half) = (sqrt(rate), f64::from(m) + 0.5);
        let distance = 1.0 - root * (1.0 + 0.5 / f64::from(m));
        let agreement = [power(half, 7) / (3.0 * rate * root), 0.0, 0.0];
        (distance > 0.0).then(|| Self { distance, log_list: log2(half / root), agreement })
    }

    /// Log2 of `ca` for words of `2^log_points` points.
    pub fn log_agreement(&self, log_points: f64, log_field: f64) -> f64 {
        let [square, slope, offset] = self.agreement;
        let points = exp2(log_points);
        log2((square * points + slope) * points + offset) - log_field
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
}
