//! The cheapest options that reach a profile (section 10).
//!
//! Of blowups that are not given the one with the least work of the prover is taken, as [`crate::cheapest()`] counts
//! it; of each blowup the fewest queries, and with these the folds of the least expected length.

use alloc::vec;
use alloc::vec::Vec;

use proof_format::Profile;
use proof_format::policy::MAX_QUERIES;
use proof_format::security::{Bits, Limit, NoOptions, OutOfReach, fewest_queries};

use super::folds::{Folds, Openings};
use super::security::rounds;
use super::{Options, Sizes};
use crate::options::OptionsError;
use crate::security::Shape;
use crate::{Draw, FixedOptions};

/// Most bits of proof of work before a draw that are looked at: some seconds of a processor.
const MOST_WORK: u32 = 24;

/// The cheapest options that reach a profile for proofs of this statement, with the given options; the coset offset and
/// the suite come from `base`.
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
    let blowups = given.blowup.map_or((1..=7).map(|log| 1 << log).collect(), |blowup| vec![blowup]);
    let (mut most, mut impossible) = (Bits { bits: 0, limit: Limit::Queries }, None);
    // The work grows with the blowup: the first that reaches the profile is the cheapest.
    for blowup in blowups {
        let mut best: Option<(f64, Options)> = None;
        for points in [1, 2] {
            let search = Search { profile, given, sizes, shape };
            let options = Options { blowup, points, ..base.clone() };
            match search.options(options) {
                Ok(Found::Options(length, options)) => {
                    if best.as_ref().is_none_or(|(least, _)| length < *least) {
                        best = Some((length, options));
                    }
                }
                Ok(Found::OutOfReach(bits)) => most = core::cmp::max_by_key(bits, most, |most| most.bits),
                Err(error) => {
                    impossible.get_or_insert(error);
                }
            }
        }
        if let Some((_, options)) = best {
            return Ok(options);
        }
    }
    match impossible {
        Some(error) if most.bits == 0 => Err(NoOptions::Impossible(error)),
        _ => Err(OutOfReach { profile, most }.into()),
    }
}

/// The result for one blowup and one number of points.
enum Found {
    /// With the expected length.
    Options(f64, Options),
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
        let before_queries = given.grinding.unwrap_or_else(|| self.grinding(&base));
        let mut options = Options { queries: given.queries.unwrap_or(MAX_QUERIES), ..base };
        let mut length = 0.0;
        let mut queries = given.queries.unwrap_or(1);
        // Folds depend on the queries, and these on the work that there may be before each fold.
        for _ in 0..2 {
            let openings = Openings::new(self.sizes, queries);
            let of_length = Folds::shortest(&openings, self.sizes.log_rows, options.log_blowup());
            (length, options.folds, options.log_last) = (of_length.length, of_length.steps, of_length.log_last);
            options.work = self.most_work(&options.folds, before_queries);
            let rounds = rounds(&options, self.shape)?;
            let needed = rounds.query_bits(profile).and_then(|bits| fewest_queries(profile.bits, before_queries, bits));
            match needed.filter(|needed| *needed <= options.queries) {
                Some(needed) => queries = given.queries.unwrap_or(needed),
                None => return Ok(Found::OutOfReach(profile.kind.of(&rounds.security()))),
            }
        }
        options.queries = queries;
        let reaches =
            |options: &Options| Ok(profile.kind.of(&rounds(options, self.shape)?.security()).bits >= profile.bits);
        for position in 0..options.work.len() - 1 {
            // The fewest bits with which the profile is reached.
            let (mut low, mut high) = (0, options.work[position]);
            let mut tried = 0;
            while low < high {
                options.work[position] = tried;
                if reaches(&options)? {
                    high = tried
                } else {
                    low = tried + 1
                }
                tried = low.midpoint(high);
            }
            options.work[position] = high;
        }
        options.validate_alone()?;
        Ok(Found::Options(length, options))
    }

    /// Bits of work before the queries: a try hashes as much as 8 elements, and up to an eighth of the rest is not
    /// counted.
    fn grinding(&self, options: &Options) -> u32 {
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
