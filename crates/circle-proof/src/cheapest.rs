//! The cheapest options that reach a profile.
//!
//! Cost is the prover's work, then the length of the proof. The prover commits to `V` elements of M31: all columns on
//! their extended domains, 8 columns of the composition and 8 for the quotients and the layers of FRI, which halve at
//! least, on the common one. A try of the proof of work hashes as much as 16 elements. Up to an eighth of the rest it
//! is not counted, so that small statements have a small one and none is for free:
//!
//! ```text
//! work = max(V, 128 * 2^G)
//! ```
//!
//! The length is estimated: every query opens all trees at a place of its own, and paths share the `log2 q` levels next
//! to the root.

use circle_air::Statement;
use proof_format::Profile;
use proof_format::policy::MAX_QUERIES;
use proof_format::security::{Bits, Limit, NoOptions, OutOfReach, fewest_queries};

use crate::layout::Layout;
use crate::options::{CircleOptions, MAX_LOG_LAST};
use crate::verify::layout_of;
use crate::{Suite, VerifyError, security};

/// Options that are given. The others are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedOptions {
    /// Bits of the proof of work.
    pub pow_bits: Option<u32>,
    /// Log2 of the blowup.
    pub log_blowup: Option<u32>,
    /// The number of queries.
    pub queries: Option<u32>,
    /// Folds by two in a layer.
    pub fold_step: Option<u32>,
    /// Log2 of the coefficients of the last layer.
    pub log_last: Option<u32>,
}

/// Largest values that are looked at, if they are not given. More blowup only lowers the bits that the field leaves.
const MOST_LOG_BLOWUP: u32 = 4;
/// Some seconds of a processor.
const MOST_POW: u32 = 24;
/// A layer of more folds opens more than its path saves.
const MOST_FOLD_STEP: u32 = 4;

/// The cheapest options that reach a profile for proofs of this statement, with the given ones; `lifted` sets the
/// lifting of some options as the prover will.
///
/// # Errors
/// The most that any options reach, if that is less; why there are none, if the statement has no proof with any.
pub fn cheapest(
    profile: Profile,
    given: &FixedOptions,
    statement: &dyn Statement,
    lifted: &dyn Fn(CircleOptions) -> CircleOptions,
) -> Result<CircleOptions, NoOptions<VerifyError>> {
    let range = |given: Option<u32>, least, most| given.map_or(least..=most, |given| given..=given);
    let mut most = Bits { bits: 0, limit: Limit::Queries };
    let mut best: Option<((u128, u128), CircleOptions)> = None;
    let mut impossible = None;
    let mut found_one = false;
    for log_blowup in range(given.log_blowup, 1, MOST_LOG_BLOWUP) {
        let first = lifted(CircleOptions {
            pow_bits: given.pow_bits.unwrap_or(MOST_POW),
            log_blowup,
            queries: given.queries.unwrap_or(MAX_QUERIES),
            fold_step: given.fold_step.unwrap_or(1),
            log_last: given.log_last.unwrap_or(0),
            lifting: None,
            suite: Suite::default(),
        });
        let layout = match layout_of(statement, &first) {
            Ok(layout) => layout,
            Err(error) => {
                impossible.get_or_insert(error);
                continue;
            }
        };
        found_one = true;
        let values = values(&layout);
        for fold_step in range(given.fold_step, 1, MOST_FOLD_STEP) {
            let all = CircleOptions { fold_step, ..first };
            let rounds = security::rounds(&all, &layout.shape);
            most = std::cmp::max_by_key(profile.kind.of(&rounds.security_by(profile.kind)), most, |most| most.bits);
            let Some(query_bits) = rounds.query_bits(profile) else { continue };
            for pow_bits in range(given.pow_bits, 0, MOST_POW) {
                let needed = fewest_queries(profile.bits, all.suite.work_bits(pow_bits), query_bits);
                let Some(needed) = needed.filter(|&needed| needed <= all.queries) else { continue };
                for log_last in range(given.log_last, 0, MAX_LOG_LAST) {
                    let queries = given.queries.unwrap_or(needed);
                    let options = CircleOptions { pow_bits, queries, log_last, ..all };
                    if layout.log_domain < fold_step + options.log_last_domain() {
                        continue;
                    }
                    let cost = (values.max(1 << (7 + pow_bits)), length(&layout, &options));
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, options));
                    }
                }
            }
        }
        // The next blowup has twice the values.
        if best.is_some_and(|((work, _), _)| work < 2 * values) {
            break;
        }
    }
    match (best, impossible) {
        (Some((_, options)), _) => Ok(options),
        (None, Some(error)) if !found_one => Err(NoOptions::Impossible(error)),
        _ => Err(OutOfReach { profile, most }.into()),
    }
}

/// Elements that are committed to.
fn values(layout: &Layout) -> u128 {
    let columns = layout.trees.iter().flat_map(|tree| &tree.columns);
    columns.map(|column| 1_u128 << column.log_size).sum::<u128>() + (8 << layout.log_domain)
}

/// Bytes of a proof, estimated.
fn length(layout: &Layout, options: &CircleOptions) -> u128 {
    let path = |places: u128, height: u32| 32 * places * u128::from(height.saturating_sub(places.ilog2()));
    let queries = u128::from(options.queries);
    let trees = layout.trees.iter().map(|tree| {
        let sampled: usize = tree.columns.iter().map(|column| column.offsets.len()).sum();
        16 * sampled as u128 + 4 * queries * tree.columns.len() as u128 + path(queries, tree.height)
    });
    let mut left = layout.log_domain;
    let layers = options.fold_steps(layout.log_domain).into_iter().map(|step| {
        left -= step;
        let places = queries.min(1 << left);
        16 * places * ((1 << step) - 1) + path(places, left)
    });
    trees.sum::<u128>() + layers.sum::<u128>() + (16 << options.log_last)
}
