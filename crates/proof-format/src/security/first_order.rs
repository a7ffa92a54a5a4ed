//! The regime past the Johnson radius: a search for good certificates, each with all that the rounds need of it.
//!
//! Every choice that the search looks at is right by itself ([`certificate`](super::certificate)). So numbers of
//! floating point steer it, and decide nothing.

use alloc::vec;
use alloc::vec::Vec;

use super::Proximity;
use super::certificate::{Agreement, Support};
use super::math::{log2, sqrt};

/// A fold of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Log2 of how much shorter the words on its curve are than those that are folded first.
    pub log_shorter: u32,
    /// Degree of its curve.
    pub degree: u64,
}

impl Fold {
    /// A fold for each halving of the words, all on curves of one degree: no fewer than there are.
    pub fn each_halving(log_rows: u32, degree: u64) -> Vec<Self> {
        (1..=log_rows).map(|log_shorter| Self { log_shorter, degree }).collect()
    }
}

/// The codes of a proof's rounds, in whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Log2 of the points of the common domain.
    pub log_points: u32,
    /// Log2 of the dimension of the words that are folded first. Dimension and points shrink alike.
    pub log_rows: u32,
    /// Dimension of the code that columns are near.
    pub columns: u64,
    /// Dimension of the code that combined words are near.
    pub words: u64,
    /// Characteristic of the field of the points.
    pub characteristic: u64,
    /// Degree of the curve that combines the columns.
    pub combined: u64,
    /// The folds.
    pub folds: Vec<Fold>,
}

/// Multiplicities that are looked at. More follow cheaters a little further, with longer lists of codewords.
const MULTIPLICITIES: [u64; 12] = [3, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64];

/// How far above the least agreement that has a certificate to look, in halvings of the number of points: a smaller
/// agreement is worth more in each query and has more exceptions.
const ROOM: [u32; 4] = [6, 8, 10, 12];

impl Code {
    /// The regimes that are found, with their multiplicities. None where the codes are too small, or the characteristic
    /// is.
    pub(super) fn regimes(&self) -> Vec<(Option<u32>, Proximity)> {
        let mut found = Vec::new();
        if self.log_points > 32 || self.words < 2 {
            return found;
        }
        for multiplicity in MULTIPLICITIES {
            let Some(least) = self.least_agreement(multiplicity) else { continue };
            let points = 1_u64 << self.log_points;
            let mut agreements: Vec<u64> = ROOM.iter().map(|room| least + (points >> room)).collect();
            agreements.dedup();
            let near = |agreement| self.proximity(agreement, &self.support(multiplicity, agreement));
            found.extend(agreements.into_iter().filter_map(near).map(|near| (Some(multiplicity as u32), near)));
        }
        found
    }

    /// The support of a multiplicity at an agreement, by a rule that comes near to the best.
    fn support(&self, multiplicity: u64, agreement: u64) -> Support {
        let (points, rate) = (1_u64 << self.log_points, self.words as f64 / (1_u64 << self.log_points) as f64);
        // Between the limit of the regime and the Johnson bound.
        let limit = (3.0 * rate + 2.0 * sqrt(rate * (5.0 - rate) * (2.0 - rate))) / (8.0 - rate);
        let missed = 1.0 - (limit + sqrt(rate)) / 2.0;
        let derivative = (3.0 * missed * multiplicity as f64 / (4.0 - 2.0 * rate) + 0.5) as u64;
        let derivative = derivative.clamp(1, multiplicity);
        let most = (multiplicity * agreement.min(points) + derivative - 1) / (self.words - 1);
        Support { multiplicity, derivative, degree: most.max(derivative) }
    }

    fn agreement(&self, dimension: u64, agreement: u64) -> Agreement {
        Agreement { points: 1 << self.log_points, dimension, agreement }
    }

    /// The least agreement at which columns have a certificate of this multiplicity.
    fn least_agreement(&self, multiplicity: u64) -> Option<u64> {
        let has = |agreement| {
            self.agreement(self.columns, agreement).height(&self.support(multiplicity, agreement), 1).is_some()
        };
        let (mut low, mut high) = (self.columns + 1, 1 << self.log_points);
        while low < high {
            let middle = low + (high - low) / 2;
            if has(middle) { high = middle } else { low = middle + 1 }
        }
        (low == high && has(low)).then_some(low)
    }

    /// The regime of an agreement: the columns' list, and the exceptions of their combination and of all folds.
    fn proximity(&self, agreement: u64, support: &Support) -> Option<Proximity> {
        // The guard of the theorems: derivatives of polynomials of the code must not vanish.
        if self.characteristic <= self.columns.max(self.words).max(support.derivative) {
            return None;
        }
        let list = self.agreement(self.columns, agreement).list(support)?;
        let combined = self.agreement(self.words, agreement).exceptional(support, self.combined.max(1))?;
        let log = |count: u128| log2(count.max(1) as f64);
        let mut folds = vec![0.0; self.log_points as usize + 1];
        for fold in &self.folds {
            let exceptional = log(self.fold_exceptional(agreement, support, fold)?);
            // The number of a fold of more points is no less in a table, where one line may stand for several folds.
            for of_fold in &mut folds[self.log_points.checked_sub(fold.log_shorter)? as usize..] {
                *of_fold = f64::max(*of_fold, exceptional);
            }
        }
        let missed = 1.0 - agreement as f64 / (1_u64 << self.log_points) as f64;
        Some(Proximity::counted(missed, log(list), log(combined), folds))
    }

    /// The exceptions of a fold, at the same share of points.
    fn fold_exceptional(&self, agreement: u64, support: &Support, fold: &Fold) -> Option<u128> {
        let agreement = agreement.div_ceil(1 << fold.log_shorter);
        let points = 1 << self.log_points.checked_sub(fold.log_shorter)?;
        let dimension = 1 << self.log_rows.checked_sub(fold.log_shorter)?;
        let folded = Agreement { points, dimension, agreement };
        let few = folded.exceptional_of_few(fold.degree);
        match (folded.exceptional(support, fold.degree), few) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Limit;
    use super::*;

    /// Goldilocks, `2^log_rows` rows, 100 words, two rows read.
    fn goldilocks(log_rows: u32, log_blowup: u32) -> Code {
        let rows = 1 << log_rows;
        Code {
            log_points: log_rows + log_blowup,
            log_rows,
            columns: rows + 2,
            words: rows,
            characteristic: 0xffff_ffff_0000_0001,
            combined: 100,
            folds: Fold::each_halving(log_rows, 1),
        }
    }

    /// The best regimes follow cheaters past the Johnson radius, and not past the limit of the first order.
    #[test]
    fn regimes_are_between_two_limits() {
        for (log_blowup, limit) in [(1, 0.6899), (2, 0.4688), (3, 0.3191), (4, 0.2185)] {
            let regimes = goldilocks(16, log_blowup).regimes();
            let nearest = regimes.iter().map(|(_, regime)| 1.0 - regime.distance).fold(1.0, f64::min);
            let johnson = sqrt(1.0 / f64::from(1 << log_blowup));
            assert!(limit < nearest && nearest < limit + (johnson - limit) / 4.0, "{log_blowup}: {nearest}");
            assert!(regimes.iter().all(|(_, regime)| regime.log_list > 10.0));
        }
    }

    /// M31 has codes of its characteristic or more, and codes that are as long as their dimension.
    #[test]
    fn there_are_codes_without_regimes() {
        let code = goldilocks(8, 2);
        assert!(!code.regimes().is_empty());
        for none in [
            Code { characteristic: code.columns, ..code.clone() },
            Code { columns: 1 << 10, ..code.clone() },
            Code { words: 1, ..code.clone() },
            Code { log_points: 70, ..code },
        ] {
            assert!(none.regimes().is_empty(), "{none:?}");
        }
    }

    /// A curve of a higher degree has more exceptions, and so have folds of it; lists are of the columns alone.
    #[test]
    fn degrees_count() {
        let folds = Fold::each_halving(10, 7);
        let (line, more) = (goldilocks(10, 2), Code { combined: 1000, folds, ..goldilocks(10, 2) });
        for ((_, one), (_, other)) in line.regimes().into_iter().zip(more.regimes()) {
            let errors =
                |regime: &Proximity| [Limit::Batching, Limit::Folding].map(|of| regime.log_exceptional(of, 12.0, 0.0));
            let ([columns, fold], [more_columns, more_fold]) = (errors(&one), errors(&other));
            assert!(more_columns > columns + 3.0 && more_fold > fold + 2.5 && fold < columns);
            assert_eq!((one.distance, one.log_list), (other.distance, other.log_list));
        }
    }
    /// Each fold has the exceptions of its own length and degree, and a line for all of them the most.
    #[test]
    fn folds_count_each_for_itself() {
        let folds = vec![Fold { log_shorter: 3, degree: 7 }, Fold { log_shorter: 6, degree: 7 }];
        let code = Code { folds, ..goldilocks(10, 2) };
        let shorter = Code { folds: vec![Fold { log_shorter: 6, degree: 7 }], ..code.clone() };
        let all = Code { folds: Fold::each_halving(10, 7), ..code.clone() };
        let of = |regimes: Vec<(Option<u32>, Proximity)>, log_points| -> Vec<f64> {
            regimes.iter().map(|(_, regime)| regime.log_exceptional(Limit::Folding, log_points, 0.0)).collect()
        };
        let (first, second) = (of(code.regimes(), 9.0), of(code.regimes(), 6.0));
        assert!(!first.is_empty() && first.iter().zip(&second).all(|(first, second)| *first > second + 3.0));
        assert_eq!(second, of(shorter.regimes(), 6.0));
        assert_eq!((first, &second), (of(code.regimes(), 12.0), &of(shorter.regimes(), 12.0)));
        assert!(of(all.regimes(), 12.0).iter().zip(&of(code.regimes(), 12.0)).all(|(all, some)| all > some));
        assert_eq!(of(all.regimes(), 6.0), second);
    }
}
