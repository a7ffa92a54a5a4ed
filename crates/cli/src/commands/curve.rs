//! `polystark security --curve`: what a profile takes at each blowup.

use serde::Serialize;

use crate::arguments::DeviceArguments;
use crate::progress::plan::Plan;
use crate::protocol::{CommandLine, RequestDraft};
use sdk::{AirStatement, Airs, Profile, Registry, Statement as _};

/// Log2 of the blowups.
const LOG_BLOWUPS: std::ops::RangeInclusive<u32> = 1..=5;

/// The cheapest proofs of a profile at a blowup.
#[derive(Serialize)]
pub(crate) struct CurvePoint<O> {
    blowup: u32,
    /// The options and what they cost; null where none reach the profile.
    #[serde(flatten)]
    found: Option<Found<O>>,
    /// Why there are none.
    refusal: Option<String>,
}

#[derive(Serialize)]
struct Found<O> {
    queries: u32,
    /// The bits that they are worth, of the figure that is asked for.
    bits: u32,
    /// Length of the proof, where its options say it: the openings depend on the queries.
    expected_bytes: Option<u64>,
    /// By the operations of the prover on a processor, as a multiple of the first that is known.
    relative_time: Option<f64>,
    options: O,
}

/// Proofs of a statement that reach a profile, by their blowup.
pub(crate) fn curve<F: CommandLine>(
    airs: &Airs<F>,
    draft: &RequestDraft<F>,
    profile: Profile,
    registry: &Registry,
) -> Vec<CurvePoint<F::OptionsView>> {
    let mut first = None;
    let point = |log_blowup: u32| {
        let mut draft = draft.clone();
        draft.given = F::of_blowup(&draft.given, log_blowup);
        // A point that is not possible is no reason to show none of the others.
        let rounds = draft.reach(airs, profile).and_then(|()| F::rounds_of(&draft.request, &draft.air));
        let found = rounds.map(|rounds| {
            let (request, seconds) = (&draft.request, seconds(airs, &draft, registry));
            first = first.or(seconds);
            Found {
                queries: F::queries(&request.options),
                bits: profile.kind.of(&rounds.security_by(profile.kind)).bits,
                expected_bytes: F::expected_bytes(request, &draft.air),
                relative_time: seconds.zip(first).map(|(seconds, first)| seconds / first),
                options: F::OptionsView::from(&request.options),
            }
        });
        let (found, refusal) = match found {
            Ok(found) => (Some(found), None),
            Err(error) => (None, Some(error.to_string())),
        };
        CurvePoint { blowup: 1 << log_blowup, found, refusal }
    };
    LOG_BLOWUPS.map(point).collect()
}

/// The time that a proof is thought to take on a processor, if that can be said without work of the size of the
/// statement. Only ratios are of use.
fn seconds<F: CommandLine>(airs: &Airs<F>, draft: &RequestDraft<F>, registry: &Registry) -> Option<f64> {
    let request = &draft.request;
    let statement = draft.statement.clone().filter(|_| F::PLANS_FREELY)?;
    let device = DeviceArguments::planner().open::<F>(registry).ok()?;
    let work_bits = F::cost(request, &draft.air).work_bits;
    let statement = AirStatement::built(airs.clone(), request.clone(), statement);
    let ready = statement.ready(&device).ok()?;
    Plan::of_ready(&ready, (true, work_bits)).map(|plan| plan.total())
}

/// A line for each blowup.
pub(crate) fn text<O>(points: &[CurvePoint<O>], profile: Profile) -> String {
    let mut text =
        format!("by blowup, for {profile}\n{:>8}{:>9}{:>6}{:>16}{:>7}", "blowup", "queries", "bits", "bytes", "time");
    for CurvePoint { blowup, found, refusal } in points {
        text += &format!("\n{blowup:>8}");
        match found {
            None => text += &format!("  {}", refusal.as_deref().unwrap_or_default()),
            Some(Found { queries, bits, expected_bytes, relative_time, .. }) => {
                let bytes = expected_bytes.map_or("-".to_owned(), |bytes| bytes.to_string());
                let time = relative_time.map_or("-".to_owned(), |time| format!("{time:.2}"));
                text += &format!("{queries:>9}{bits:>6}{bytes:>16}{time:>7}");
            }
        }
    }
    text + "\n\nBytes are those of a proof, expected over the queries that are drawn; time is relative, by the operations of a\n\
            prover on a processor. A dash is not known without proving.\n"
}
