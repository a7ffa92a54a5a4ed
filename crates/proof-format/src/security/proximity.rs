//! What is proven about words that are near a Reed-Solomon code: how far a cheating prover can be followed, and at what error.
//!
//! `rho` is the rate of the code, `N` its length, `Q` the elements of the field that challenges are drawn from. Words that agree with the
//! code on fewer than `(1 - theta) N` points are *far*. For two words of which one is far, few points of the line through them are near:
//! those are at most a share `ca` of the field, the error of correlated agreement. On a curve of degree `k` they are `k` times as many.
//! All of it is from Ben-Sasson, Carmon, Haböck, Kopparty, Saraf, *On Proximity Gaps for Reed-Solomon Codes*, ePrint 2025/2055
//! (BCHKS25):
//!
//! | regime | `theta` | codewords that near | `ca` |
//! |---|---|---|---|
//! | unique decoding, corollary 1.4 | `(1 - rho)/2` | 1 | `(theta N + 1)/Q` |
//! | Johnson bound, theorem 4.2, with `m = max(3, ceil(sqrt(rho)/(2 eta)))`, `h = m + 1/2` | `1 - sqrt(rho) - eta` | `h/rho` | `((2 h^5 + 3 h theta rho)/(3 rho sqrt(rho)) N + h/sqrt(rho))/Q` |
//!
//! In these columns, and in the formulas around them, the public calculator soundcalc of the Ethereum Foundation counts the same, to the
//! bit: `vectors/soundness` has its figures.
//!
//! Older bounds, which tables show beside them, are those of Ben-Sasson, Carmon, Ishai, Kopparty, Saraf, *Proximity Gaps for
//! Reed-Solomon Codes*, ePrint 2020/654 (BCIKS20). They count for no figure:
//!
//! | regime | `theta` | codewords that near | `ca` |
//! |---|---|---|---|
//! | unique decoding, theorem 1.4 | `(1 - rho)/2` | 1 | `N/Q` |
//! | Johnson bound, theorem 8.3, with `m` | `1 - sqrt(rho)(1 + 1/(2m))` | `h/sqrt(rho)` | `h^7/(3 rho sqrt(rho)) N^2/Q` |
//!
//! Conjectures take `theta` further, and there one codeword and `ca = N/Q`.

use std::ops::RangeInclusive;

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
    /// Up to half the distance of the code.
    pub fn unique_decoding(rate: f64) -> Self {
        let distance = (1.0 - rate) / 2.0;
        Self { distance, log_list: 0.0, agreement: [0.0, distance, 1.0] }
    }

    /// The same by the older bound.
    pub fn unique_decoding_2020(rate: f64) -> Self {
        Self::conjectured((1.0 - rate) / 2.0)
    }

    /// What conjectures keep at a distance: one codeword, `ca = N/Q`.
    pub fn conjectured(distance: f64) -> Self {
        Self { distance, log_list: 0.0, agreement: [0.0, 1.0, 0.0] }
    }

    /// Up to the Johnson bound, less `eta`. `None` if that leaves nothing.
    pub fn johnson(rate: f64, eta: f64) -> Option<Self> {
        let root = rate.sqrt();
        let distance = 1.0 - root - eta;
        // What is a whole number but for rounding is that number.
        let multiplicity = (root / (2.0 * eta) - 1e-9).ceil().max(f64::from(*MULTIPLICITIES.start()));
        let half = multiplicity + 0.5;
        let slope = (2.0 * half.powi(5) + 3.0 * half * distance * rate) / (3.0 * rate * root);
        let agreement = [0.0, slope, half / root];
        (distance > 0.0).then(|| Self { distance, log_list: (half / rate).log2(), agreement })
    }

    /// The Johnson bound at `m`: `eta = sqrt(rho)/(2m)`.
    pub fn multiplicity(rate: f64, m: u32) -> Option<Self> {
        Self::johnson(rate, rate.sqrt() / (2.0 * f64::from(m)))
    }

    /// The Johnson bound at `m` by the older bound. `None` if that leaves nothing.
    pub fn multiplicity_2020(rate: f64, m: u32) -> Option<Self> {
        let (root, half) = (rate.sqrt(), f64::from(m) + 0.5);
        let distance = 1.0 - root * (1.0 + 0.5 / f64::from(m));
        let agreement = [half.powi(7) / (3.0 * rate * root), 0.0, 0.0];
        (distance > 0.0).then(|| Self { distance, log_list: (half / root).log2(), agreement })
    }

    /// Log2 of `ca` for words of `2^log_points` points.
    pub fn log_agreement(&self, log_points: f64, log_field: f64) -> f64 {
        let [square, slope, offset] = self.agreement;
        let points = log_points.exp2();
        ((square * points + slope) * points + offset).log2() - log_field
    }

    /// Bits that a query is worth: `-log2(1 - theta)`.
    pub fn query_bits(&self) -> f64 {
        -(1.0 - self.distance).log2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::security::whole;

    /// Every row of soundcalc's figures, round by round. There the Johnson bound is taken at one `eta`, which depends on the field.
    #[test]
    fn soundcalc_counts_the_same() {
        let table = include_str!("../../../../vectors/soundness/soundcalc.tsv");
        let mut rows = 0;
        for line in table.lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let number = |column: usize| columns[column].parse::<f64>().expect("a number");
            let (log_field, eta_of): (f64, fn(f64) -> f64) = match columns[0] {
                "goldilocks^3" => (3.0 * 18_446_744_069_414_584_321_f64.log2(), |rate| rate.sqrt() / 100.0),
                "m31^4" => (4.0 * 2_147_483_647_f64.log2(), |rate| rate / 20.0),
                other => panic!("the field {other}"),
            };
            let (log_rows, rate, queries) = (number(1), 1.0 / number(2), number(3));
            let [query_work, batch_work, fold_work, deep_work] = [4, 5, 6, 7].map(number);
            let [functions, constraints, degree, combined] = [10, 11, 12, 13].map(number);
            let regime = match columns[14] {
                "UDR" => Proximity::unique_decoding(rate),
                _ => Proximity::johnson(rate, eta_of(rate)).expect("room below the bound"),
            };
            let log_points = log_rows - rate.log2();
            let agreement = |log_points| regime.log_agreement(log_points, log_field);
            let mut log_layer = log_points;
            let folds = columns[8].split(',').map(|factor| {
                let factor: f64 = factor.parse().expect("a factor");
                log_layer -= factor.log2();
                whole(fold_work - agreement(log_layer) - (factor - 1.0).log2())
            });
            let rows_and = |more: f64| log_rows.exp2() + more;
            let terms = degree * rows_and(combined - 1.0) + rows_and(-1.0);
            let outside = (log_field.exp2() - rows_and(log_points.exp2())).log2();
            let fold = folds.min().expect("a fold");
            let found = [
                whole(log_field - regime.log_list - constraints.log2()),
                whole(deep_work + outside - regime.log_list - terms.log2()),
                whole(batch_work - agreement(log_points) - (functions - 1.0).log2()),
                fold,
                whole(query_work + queries * regime.query_bits()),
            ];
            let expected = [15, 16, 17, 18, 19].map(|column| number(column) as u32);
            assert_eq!(found, expected, "{line}");
            assert_eq!(found.into_iter().min(), Some(number(20) as u32), "{line}");
            rows += 1;
        }
        assert_eq!(rows, 1728);
    }

    #[test]
    fn no_distance_is_left_at_a_rate_near_one() {
        assert!(Proximity::multiplicity(0.9, 3).is_none());
        assert!(Proximity::multiplicity(0.9, 100).is_some());
    }
}
