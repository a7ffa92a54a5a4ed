//! The cheapest options that reach a profile.
//!
//! Cost is the prover's work, then the length of the proof. With `N` points of the LDE domain, `w` main and `w'`
//! auxiliary columns, `P` composition parts and an extension of degree `D` the prover commits to
//! `E = w + D (w' + P + 2)` elements a point (2: the DEEP quotient and the layers of FRI, which halve); the cost of
//! making them grows with their number. A try of the proof of work hashes as much as 8 elements. Up to an eighth of the
//! rest it is not counted, so that small statements have a small one and none is for free:
//!
//! ```text
//! work = max(N E, 64 * 2^G)
//! ```
//!
//! The length is exact up to 8 bytes of a nonce ([`Counts::length`]). [`Goal`] has what else may be looked for.

use alloc::vec;
use alloc::vec::Vec;

use gpu_hal::CosetProtocol;
use proof_format::Profile;
use proof_format::policy::MAX_QUERIES;
use proof_format::security::{Bits, Limit, NoOptions, OutOfReach, fewest_queries};

use crate::Hiding;
use crate::codec::Counts;
use crate::lambdaworks;
use crate::options::OptionsError;
use crate::security::{Shape, rounds};

/// The quality by which options are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The least work of the prover by the elements that it commits to, and of equal ones the shortest proofs.
    #[default]
    Cheapest,
    /// The shortest proofs, with blowups of at most 16 and as much proof of work as is cheap beside the rest.
    Smallest,
    /// The least work of the prover, the hashes of its trees and of its proof of work before the queries included. Work
    /// before other draws, which compact proofs may have, is not counted.
    Fastest,
}

/// Options that are given. The others are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedOptions {
    /// Compact proofs alone: whether the witness is hidden. It is, too, where the options that the search starts from
    /// hide it.
    pub hiding: Hiding,
    /// Proofs that hide the witness alone: how many rows at the end of the trace can be free for masks.
    pub free_rows: Option<u64>,
    /// The quality by which the others are chosen.
    pub goal: Goal,
    /// The blowup.
    pub blowup: Option<u32>,
    /// The number of queries.
    pub queries: Option<u32>,
    /// Bits of the proof of work, of compact proofs before the queries.
    pub grinding: Option<u32>,
    /// Compact proofs alone: out-of-domain points.
    pub points: Option<u32>,
    /// Compact proofs alone: log2 of the factor of each fold.
    pub folds: Option<Vec<u32>>,
    /// Compact proofs alone: bits of the proof of work before each draw. The last is that before the queries, and then
    /// counts for `grinding`.
    pub work: Option<Vec<u32>>,
}

/// The largest blowup among which the shortest proofs are looked for.
const MOST_BLOWUP: u32 = 16;

impl Goal {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cheapest, Self::Smallest, Self::Fastest];
}

impl FixedOptions {
    /// The blowups to look at.
    pub(crate) fn blowups(&self) -> Vec<u32> {
        let most = if self.goal == Goal::Smallest { MOST_BLOWUP.ilog2() } else { 7 };
        self.blowup.map_or((1..=most).map(|log| 1 << log).collect(), |blowup| vec![blowup])
    }

    /// An option that compact proofs alone have, if one is given.
    fn only_compact(&self) -> Option<&'static str> {
        let given = [
            ("out-of-domain points", self.points.is_some()),
            ("folds", self.folds.is_some()),
            ("work", self.work.is_some()),
            ("masks that hide the witness", self.hiding.hides()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// Most bits of proof of work that are looked at, if they are not given: some seconds of a processor.
const MOST_GRINDING: u32 = 24;

/// The cheapest options that reach a profile for proofs of this shape, with the given options; the coset offset and the
/// hash function come from `base`. `counts` is of any options.
///
/// # Errors
/// The most that any options reach, if that is less; why there are none, if the shape has no proof with any.
pub fn cheapest<P: CosetProtocol>(
    profile: Profile,
    given: &FixedOptions,
    base: &lambdaworks::Options,
    shape: &Shape,
    counts: &Counts,
) -> Result<lambdaworks::Options, NoOptions<OptionsError>> {
    let elements = (counts.main + P::DEGREE * (counts.aux + counts.parts + 2)) as u128;
    if let Some(option) = given.only_compact() {
        return Err(NoOptions::Impossible(OptionsError::OnlyCompact(option)));
    }
    let mut most = Bits { bits: 0, limit: Limit::Queries };
    let (mut impossible, mut found_one) = (None, false);
    let mut best: Option<((u128, u128), lambdaworks::Options)> = None;
    for blowup in given.blowups() {
        let all = lambdaworks::Options { blowup, queries: given.queries.unwrap_or(MAX_QUERIES), ..*base };
        let all = lambdaworks::Options { grinding: given.grinding.unwrap_or(MOST_GRINDING), ..all };
        let of_all = match rounds(&all, shape) {
            Ok(rounds) => rounds,
            Err(error) => {
                impossible.get_or_insert(error);
                continue;
            }
        };
        found_one = true;
        most = core::cmp::max_by_key(profile.kind.of(&of_all.security_by(profile.kind)), most, |most| most.bits);
        let Some(query_bits) = of_all.query_bits(profile) else { continue };
        let log_lde = all.log_lde(shape.log_trace);
        for grinding in given.grinding.map_or(0..=MOST_GRINDING, |bits| bits..=bits) {
            let needed = fewest_queries(profile.bits, grinding, query_bits);
            let Some(needed) = needed.filter(|&needed| needed <= all.queries) else { continue };
            let options = lambdaworks::Options { queries: given.queries.unwrap_or(needed), grinding, ..all };
            let (committed, tries) = (elements << log_lde, if grinding > 0 { 1_u128 << grinding } else { 0 });
            let queries = options.queries as usize;
            let length = Counts { log_lde, queries, nonce: grinding > 0, ..*counts }.length::<P>();
            let work = committed.max(64 * tries);
            let cost = match given.goal {
                Goal::Cheapest => (work, length),
                Goal::Smallest if given.grinding.is_none() && work > committed => continue,
                Goal::Smallest => (length, work),
                Goal::Fastest => (committed.saturating_add(8 * tries), length),
            };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, options));
            }
        }
    }
    match (best, impossible) {
        (Some((_, options)), _) => Ok(options),
        (None, Some(error)) if !found_one => Err(NoOptions::Impossible(error)),
        _ => Err(OutOfReach { profile, most }.into()),
    }
}
