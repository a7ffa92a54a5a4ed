//! The folds of the least expected length (section 10, step 5).

use alloc::vec::Vec;

use super::Sizes;
use super::limits::{MAX_LOG_LAST, MAX_STEP};
use super::masks::{mask_words, salts};
use super::options::check_folds;
use crate::Hiding;
use crate::options::OptionsError;

/// The facts of openings that their expected lengths depend on.
pub(super) struct Openings {
    queries: u32,
    /// Bytes of a row of all first trees, without salts.
    row: f64,
    /// Whether rows have salts.
    hiding: Hiding,
    /// The first trees.
    trees: f64,
}

/// Bytes of a digest, and of an element of the extension.
const DIGEST: f64 = 32.0;
const ELEMENT: f64 = 24.0;

impl Openings {
    /// The openings of so many queries.
    pub(super) fn new(sizes: &Sizes, queries: u32, hiding: Hiding) -> Self {
        let row = 8 * sizes.main + 24 * sizes.aux + 24 * (sizes.parts + mask_words(hiding));
        Self { queries, row: row as f64, hiding, trees: if sizes.aux > 0 { 3.0 } else { 2.0 } }
    }

    /// `(1 - 2^-log)^q`: the probability that one of `2^log` leaves is in no query.
    fn missed(&self, log: u32) -> f64 {
        let (mut power, mut square, mut left) = (1.0, 1.0 - 1.0 / two_to(log), self.queries);
        while left > 0 {
            if left & 1 == 1 {
                power *= square;
            }
            square *= square;
            left >>= 1;
        }
        power
    }

    /// The expected number of different values among the queries' of `2^log`.
    fn distinct(&self, log: u32) -> f64 {
        two_to(log) * (1.0 - self.missed(log))
    }

    /// The expected digests of an opening of a tree.
    fn digests(&self, depth: u32) -> f64 {
        (1..=depth).map(|log| two_to(log) * (self.missed(log) - self.missed(log - 1))).sum()
    }

    /// The expected bytes of the first trees, of `2^log` leaves of `2^step` rows.
    fn first(&self, log: u32, step: u32) -> f64 {
        let row = self.row + 8.0 * salts(self.hiding, step) as f64 * self.trees;
        self.distinct(log) * two_to(step) * row + DIGEST * self.trees * self.digests(log)
    }

    /// The expected bytes of a layer of `2^log` points that is folded by `2^step`.
    fn layer(&self, log: u32, step: u32) -> f64 {
        let sent = two_to(step) * self.distinct(log - step) - self.distinct(log);
        DIGEST + ELEMENT * sent + DIGEST * self.digests(log - step)
    }
}

fn two_to(log: u32) -> f64 {
    (1_u64 << log) as f64
}

/// Folds, the last layer, and the expected bytes of openings, layers and last layer.
#[derive(Clone)]
pub(super) struct Folds {
    pub(super) length: f64,
    pub(super) steps: Vec<u32>,
    pub(super) log_last: u32,
}

impl Folds {
    /// Folds that are given, for `2^log_rows` rows.
    pub(super) fn given(
        openings: &Openings,
        log_rows: u32,
        log_blowup: u32,
        steps: &[u32],
    ) -> Result<Self, OptionsError> {
        check_folds(steps)?;
        let Some((&first, rest)) = steps.split_first() else { return Err(OptionsError::Folds(0)) };
        let sum: u32 = steps.iter().sum();
        let log_last = log_rows.checked_sub(sum).ok_or(OptionsError::FoldSum { steps: sum, log_rows })?;
        if log_last > MAX_LOG_LAST {
            return Err(OptionsError::LogLast(log_last));
        }
        let mut log_points = log_rows + log_blowup - first;
        let mut length = openings.first(log_points, first) + ELEMENT * two_to(log_last);
        for &step in rest {
            length += openings.layer(log_points, step);
            log_points -= step;
        }
        Ok(Self { length, steps: steps.to_vec(), log_last })
    }

    /// The shortest, for `2^log_rows` rows. Of equal ones the smaller first fold, then the larger last layer, then the
    /// larger fold of the first layer.
    pub(super) fn shortest(openings: &Openings, log_rows: u32, log_blowup: u32) -> Self {
        // By log2 of a layer's degree, of that layer and of all that follow; steps in reverse.
        let mut rests: Vec<Self> = Vec::with_capacity(log_rows as usize + 1);
        for log_degree in 0..=log_rows {
            let last = (log_degree <= MAX_LOG_LAST).then(|| Self {
                length: ELEMENT * two_to(log_degree),
                steps: Vec::new(),
                log_last: log_degree,
            });
            let folded = (1..=MAX_STEP.min(log_degree)).rev().map(|step| {
                let rest = &rests[(log_degree - step) as usize];
                let length = rest.length + openings.layer(log_degree + log_blowup, step);
                (length, step, rest)
            });
            let folded =
                folded.min_by(|(one, _, a), (other, _, b)| one.total_cmp(other).then(b.log_last.cmp(&a.log_last)));
            let folded = folded.map(|(length, step, rest)| {
                let steps = rest.steps.iter().copied().chain([step]).collect();
                Self { length, steps, log_last: rest.log_last }
            });
            let best = last.into_iter().chain(folded).min_by(|one, other| one.length.total_cmp(&other.length));
            rests.extend(best);
        }
        let whole = (0..=MAX_STEP.min(log_rows)).map(|first| {
            let rest = &rests[(log_rows - first) as usize];
            let length = rest.length + openings.first(log_rows + log_blowup - first, first);
            let steps = [first].into_iter().chain(rest.steps.iter().rev().copied()).collect();
            Self { length, steps, log_last: rest.log_last }
        });
        let none = Self { length: f64::INFINITY, steps: Vec::new(), log_last: 0 };
        whole.fold(none, |best, next| if next.length < best.length { next } else { best })
    }
}
