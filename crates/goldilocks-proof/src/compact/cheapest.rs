//! The cheapest options that reach a profile (section 10).
//!
//! A blowup that is not given is the one with the least work of the prover, as [`crate::cheapest()`] counts it; of each
//! blowup the fewest queries, and with these the folds of the least expected length. [`Goal::Smallest`] takes the
//! blowup with the least length, too; [`Goal::Fastest`] the folds with the least hashes of the trees, and no work
//! before the queries. A blowup whose masks take more rows than can be free is passed over.

use alloc::vec::Vec;

use proof_format::Profile;
use proof_format::policy::MAX_QUERIES;
use proof_format::security::{Bits, Limit, NoOptions, OutOfReach, fewest_queries};

use super::folds::{Cost, Folds, Openings};
use super::security::{rounds, terms};
use super::{Options, Sizes, Suite};
use crate::lambdaworks;
use crate::options::OptionsError;
use crate::security::Shape;
use crate::{Draw, FixedOptions, Goal, Hiding};

/// Most bits of proof of work before a draw that are looked at: some seconds of a processor.
const MOST_WORK: u32 = 24;

/// The cheapest options that reach a profile for proofs of this statement, with the given options; the coset offset and
/// the suite come from `base`. The witness is hidden where either of the two hides it.
///
/// # Errors
/// The most that any options reach, if that is less; why there are none, if the statement has no proof with any.
pub fn cheapest(
    profile: Profile,
    given: &FixedOptions,
    base: &Options,
    sizes: &Sizes,
    shape: &Shape,
) -> Result<Options, NoOptions<OptionsError>> {
    let (mut most, mut impossible) = (Bits { bits: 0, limit: Limit::Queries }, None);
    let mut fewest_rows: Option<(u64, OptionsError)> = None;
    let mut best: Option<(Cost, Options)> = None;
    for blowup in given.blowups() {
        for points in given.points.map_or(1..=2, |points| points..=points) {
            let search = Search { profile, given, sizes, shape };
            let options = Options { blowup, points, hiding: given.hiding.or(base.hiding), ..base.clone() };
            match search.options(options) {
                Ok(Found::Options(cost, options)) => {
                    if best.as_ref().is_none_or(|(least, _)| cost.order(least).is_lt()) {
                        best = Some((cost, options));
                    }
                }
                Ok(Found::OutOfReach(bits)) => most = core::cmp::max_by_key(bits, most, |most| most.bits),
                Err(error @ OptionsError::FreeRows { needed, .. }) => {
                    fewest_rows = Some(fewest_rows.filter(|(least, _)| *least <= needed).unwrap_or((needed, error)));
                }
                Err(error) => {
                    impossible.get_or_insert(error);
                }
            }
        }
        // The work grows with the blowup: the first that reaches the profile is the cheapest.
        if given.goal != Goal::Smallest && best.is_some() {
            break;
        }
    }
    match (best, fewest_rows.map(|(_, error)| error).or(impossible)) {
        (Some((_, options)), _) => Ok(options),
        (None, Some(error @ OptionsError::FreeRows { .. })) => Err(NoOptions::Impossible(error)),
        (None, Some(error)) if most.bits == 0 => Err(NoOptions::Impossible(error)),
        _ => Err(OutOfReach { profile, most }.into()),
    }
}

/// The options of a compact proof of a statement with the blowup, the queries, the coset offset and the work before the
/// queries of `common`: one out-of-domain point, the folds of the least expected length, and no other work, unless
/// points, folds or work are given.
///
/// # Errors
/// Why there are none.
pub fn shortest(common: &lambdaworks::Options, given: &FixedOptions, sizes: &Sizes) -> Result<Options, OptionsError> {
    let lambdaworks::Options { blowup, queries, grinding, coset_offset, .. } = *common;
    let (points, suite, hiding) = (given.points.unwrap_or(1), Suite::default(), given.hiding);
    let none = Vec::new;
    let base =
        Options { blowup, queries, coset_offset, points, folds: none(), log_last: 0, work: none(), suite, hiding };
    base.validate_common(sizes)?;
    let Folds { steps: folds, log_last, .. } = folds(given, sizes, queries, &base)?;
    let no_other = || Draw::all(folds.len()).map(|draw| if draw == Draw::Queries { grinding } else { 0 }).collect();
    let work = given.work.clone().unwrap_or_else(no_other);
    let options = Options { folds, log_last, work, ..base };
    options.validate_alone()?;
    Ok(options)
}

impl Options {
    /// The default options for a trace of `rows` rows, of any statement: blowup, queries and work of
    /// [`lambdaworks::Options::for_rows`], one out-of-domain point, and the folds of the shortest proofs of one column.
    /// They are worth as much as those. [`cheapest`] finds options for a statement. A number of rows that no trace has
    /// gives options that no statement takes.
    pub fn for_rows(rows: u64) -> Self {
        let log_rows = rows.checked_ilog2().unwrap_or(0);
        let common = lambdaworks::Options::for_rows(rows);
        let sizes = Sizes { log_rows, main: 1, aux: 0, frame_rows: 1, challenges: 0, parts: 1 };
        shortest(&common, &FixedOptions::default(), &sizes).unwrap_or_else(|_| Self {
            blowup: common.blowup,
            queries: common.queries,
            coset_offset: common.coset_offset,
            points: 1,
            folds: Vec::new(),
            log_last: log_rows,
            work: Vec::new(),
            suite: Suite::default(),
            hiding: Hiding::None,
        })
    }
}

/// The given folds, or the cheapest, with the blowup and the hiding of `base`.
fn folds(given: &FixedOptions, sizes: &Sizes, queries: u32, base: &Options) -> Result<Folds, OptionsError> {
    let openings = Openings::new(sizes, queries, base.hiding, given.goal);
    let (log_rows, log_blowup) = (sizes.log_rows, base.log_blowup());
    match &given.folds {
        None => Ok(Folds::cheapest(&openings, log_rows, log_blowup)),
        Some(steps) => Folds::given(&openings, log_rows, log_blowup, steps),
    }
}

/// The result for one blowup and one number of points.
enum Found {
    /// With their cost: the expected length is that of whole proofs.
    Options(Cost, Options),
    /// The most bits.
    OutOfReach(Bits),
}

struct Search<'a> {
    profile: Profile,
    given: &'a FixedOptions,
    sizes: &'a Sizes,
    shape: &'a Shape,
}

impl Search<'_> {
    /// With the blowup and the number of points of `base`.
    fn options(&self, base: Options) -> Result<Found, OptionsError> {
        let (profile, given) = (self.profile, self.given);
        let of_work = given.work.as_ref().map(|work| work.last().copied().unwrap_or(0));
        let before_queries = of_work.or(given.grinding).unwrap_or_else(|| self.grinding(&base));
        let mut options = Options { queries: given.queries.unwrap_or(MAX_QUERIES), ..base };
        options.validate_common(self.sizes)?;
        let mut cost = Cost::default();
        let mut queries = given.queries.unwrap_or(1);
        // Folds depend on the queries, and these on the work that there may be before each fold.
        for _ in 0..2 {
            let folds = folds(given, self.sizes, queries, &options)?;
            (cost, options.folds, options.log_last) = (folds.cost, folds.steps, folds.log_last);
            options.work = given.work.clone().unwrap_or_else(|| self.most_work(&options.folds, before_queries));
            let rounds = rounds(&options, self.shape)?;
            let needed = rounds.query_bits(profile).and_then(|bits| fewest_queries(profile.bits, before_queries, bits));
            match needed.filter(|needed| *needed <= options.queries) {
                Some(needed) => queries = given.queries.unwrap_or(needed),
                None => return Ok(Found::OutOfReach(profile.kind.of(&rounds.security_by(profile.kind)))),
            }
        }
        options.queries = queries;
        if let Some(free) = given.free_rows {
            options.check_free_rows(self.sizes, usize::try_from(free).unwrap_or(usize::MAX))?;
        }
        if given.work.is_none() {
            options.work = self.least_work(&options)?;
        }
        Ok(Found::Options(Cost { length: self.sizes.expected_length(&options), ..cost }, options))
    }

    /// The list of work before each draw with the fewest tries with which the profile is reached; the one of
    /// the options is the most.
    fn least_work(&self, options: &Options) -> Result<Vec<u32>, OptionsError> {
        let draws: Vec<Draw> = terms(options, self.shape).into_iter().map(|(draw, _)| draw).collect();
        let of_draws = |of_terms: Vec<u32>| -> Vec<u32> {
            let of =
                |draw| draws.iter().zip(&of_terms).filter(move |(other, _)| **other == draw).map(|(_, bits)| *bits);
            let all = Draw::all(options.folds.len());
            let before_queries = |draw| if draw == Draw::Queries { options.work_of(draw) } else { 0 };
            all.map(|draw| of(draw).max().unwrap_or_else(|| before_queries(draw))).collect()
        };
        let tries = |work: &Vec<u32>| work.iter().filter(|bits| **bits > 0).map(|&bits| 1_u128 << bits).sum::<u128>();
        let rounds = rounds(options, self.shape)?;
        let lists = rounds.least_work(self.profile).map(of_draws);
        // The profile is reached with the most: there is a list.
        Ok(lists.min_by_key(tries).unwrap_or_else(|| options.work.clone()))
    }

    /// Bits of work before the queries: a try hashes as much as 8 elements, and up to an eighth of the rest is not
    /// counted. The fastest have none: another query costs a prover nothing.
    fn grinding(&self, options: &Options) -> u32 {
        if self.given.goal == Goal::Fastest {
            return 0;
        }
        let Sizes { log_rows, main, aux, parts, .. } = *self.sizes;
        let elements = (main as u128 + 3 * (aux as u128 + parts as u128 + 2)) << (log_rows + options.log_blowup());
        (elements / 64).checked_ilog2().unwrap_or(0).min(MOST_WORK)
    }

    /// The most work before each draw that there is.
    fn most_work(&self, folds: &[u32], before_queries: u32) -> Vec<u32> {
        let work = |draw| match draw {
            Draw::Challenges if self.sizes.challenges == 0 => 0,
            Draw::Fold(0) if folds[0] == 0 => 0,
            Draw::Queries => before_queries,
            _ => MOST_WORK,
        };
        Draw::all(folds.len()).map(work).collect()
    }
}
