//! The folds of the least expected length, or of the least work of the trees and then of that length (section 10, step
//! 5).

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Add;

use super::limits::{MAX_LOG_LAST, MAX_STEP};
use super::masks::{mask_words, salts};
use super::options::check_folds;
use super::{Options, Sizes};
use crate::Hiding;
use crate::cheapest::Goal;
use crate::options::OptionsError;

/// The cost of folds: the work that counts, then the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    /// Calls of the hash function's permutation for trees; 0 where work does not count.
    pub(super) hashes: f64,
    /// Expected bytes of openings, layers and last layer.
    pub(super) length: f64,
}

impl Cost {
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.hashes.total_cmp(&other.hashes).then(self.length.total_cmp(&other.length))
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { hashes: self.hashes + other.hashes, length: self.length + other.length }
    }
}

/// The facts of trees and openings that their costs depend on.
pub(super) struct Openings {
    queries: u32,
    /// Bytes of a row of all first trees, without salts.
    row: f64,
    /// Whether rows have salts.
    hiding: Hiding,
    /// Base elements of a row of each first tree.
    trees: Vec<usize>,
    counts_hashes: bool,
}

/// Base elements that the trees' hash function takes at a time.
const BLOCK: usize = 17;

/// Calls of the permutation for a tree of `2^log` leaves of so many base elements.
fn tree(log: u32, elements: usize) -> f64 {
    two_to(log) * (elements / BLOCK + 2) as f64
}

/// Bytes of a digest, and of an element of the extension.
const DIGEST: f64 = 32.0;
const ELEMENT: f64 = 24.0;

impl Openings {
    /// The openings of so many queries.
    pub(super) fn new(sizes: &Sizes, queries: u32, hiding: Hiding, goal: Goal) -> Self {
        let rows = [sizes.main, 3 * sizes.aux, 3 * (sizes.parts + mask_words(hiding))];
        let trees: Vec<usize> = rows.into_iter().filter(|elements| *elements > 0).collect();
        let row = 8.0 * trees.iter().sum::<usize>() as f64;
        Self { queries, row, hiding, trees, counts_hashes: goal == Goal::Fastest }
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

    /// The cost of the first trees, of `2^log` leaves of `2^step` rows.
    fn first(&self, log: u32, step: u32) -> Cost {
        let (count, salts) = (self.trees.len() as f64, salts(self.hiding, step));
        let trees = self.trees.iter().map(|elements| tree(log, (elements + salts) << step));
        let hashes = if self.counts_hashes { trees.sum() } else { 0.0 };
        let row = self.row + 8.0 * salts as f64 * count;
        Cost { hashes, length: self.distinct(log) * two_to(step) * row + DIGEST * count * self.digests(log) }
    }

    /// The cost of a layer of `2^log` points that is folded by `2^step`.
    fn layer(&self, log: u32, step: u32) -> Cost {
        let sent = two_to(step) * self.distinct(log - step) - self.distinct(log);
        let hashes = if self.counts_hashes { tree(log - step, 3 << step) } else { 0.0 };
        Cost { hashes, length: DIGEST + ELEMENT * sent + DIGEST * self.digests(log - step) }
    }
}

impl Sizes {
    /// The expected bytes of a proof (section 10): those of the openings depend on the queries that are drawn. The
    /// options were checked for the statement.
    pub fn expected_length(&self, options: &Options) -> f64 {
        let openings = Openings::new(self, options.queries, options.hiding, Goal::Smallest);
        let mut log_points = options.lde_domain(self.log_rows).log_size - options.log_leaf();
        let mut length = openings.first(log_points, options.log_leaf()).length;
        for &step in options.folds.iter().skip(1) {
            // The root is in the head.
            length += openings.layer(log_points, step).length - DIGEST;
            log_points -= step;
        }
        self.head_length(options) as f64 + length
    }
}

fn two_to(log: u32) -> f64 {
    (1_u64 << log) as f64
}

/// Folds, the last layer, and their cost.
#[derive(Clone)]
pub(super) struct Folds {
    pub(super) cost: Cost,
    pub(super) steps: Vec<u32>,
    pub(super) log_last: u32,
}

/// The cost of the last layer.
fn last(log_last: u32) -> Cost {
    Cost { length: ELEMENT * two_to(log_last), ..Cost::default() }
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
        let (first, rest) = (steps[0], &steps[1..]);
        let sum: u32 = steps.iter().sum();
        let log_last = log_rows.checked_sub(sum).ok_or(OptionsError::FoldSum { steps: sum, log_rows })?;
        if log_last > MAX_LOG_LAST {
            return Err(OptionsError::LogLast(log_last));
        }
        let mut log_points = log_rows + log_blowup - first;
        let mut cost = openings.first(log_points, first) + last(log_last);
        for &step in rest {
            cost = cost + openings.layer(log_points, step);
            log_points -= step;
        }
        Ok(Self { cost, steps: steps.to_vec(), log_last })
    }

    /// The cheapest, for `2^log_rows` rows. Of equal ones the smaller first fold, then the larger last layer, then the
    /// larger fold of the first layer.
    pub(super) fn cheapest(openings: &Openings, log_rows: u32, log_blowup: u32) -> Self {
        // By log2 of a layer's degree, of that layer and of all that follow; steps in reverse.
        let mut rests: Vec<Self> = Vec::with_capacity(log_rows as usize + 1);
        for log_degree in 0..=log_rows {
            let ends = (log_degree <= MAX_LOG_LAST).then(|| Self {
                cost: last(log_degree),
                steps: Vec::new(),
                log_last: log_degree,
            });
            let folded = (1..=MAX_STEP.min(log_degree)).rev().map(|step| {
                let rest = &rests[(log_degree - step) as usize];
                (rest.cost + openings.layer(log_degree + log_blowup, step), step, rest)
            });
            let folded = folded.min_by(|(one, _, a), (other, _, b)| one.order(other).then(b.log_last.cmp(&a.log_last)));
            let folded = folded.map(|(cost, step, rest)| {
                let steps = rest.steps.iter().copied().chain([step]).collect();
                Self { cost, steps, log_last: rest.log_last }
            });
            let best = ends.into_iter().chain(folded).min_by(|one, other| one.cost.order(&other.cost));
            rests.extend(best);
        }
        let whole = (0..=MAX_STEP.min(log_rows)).map(|first| {
            let rest = &rests[(log_rows - first) as usize];
            let cost = rest.cost + openings.first(log_rows + log_blowup - first, first);
            let steps = [first].into_iter().chain(rest.steps.iter().rev().copied()).collect();
            Self { cost, steps, log_last: rest.log_last }
        });
        let infinite = Cost { hashes: f64::INFINITY, length: f64::INFINITY };
        let none = Self { cost: infinite, steps: Vec::new(), log_last: 0 };
        whole.fold(none, |best, next| if next.cost.order(&best.cost).is_lt() { next } else { best })
    }
}
