//! What the command line takes and says for a protocol.

use serde::Serialize;

use super::arguments::StatementArguments;
use super::exit::Failure;
use super::policy::{ExpectArguments, PolicyArguments, SecurityArguments};
use crate::{Airs, Driven, Error, Expect, Profile, Provable, ReadTrace, Report, Request};

/// Lines of a table.
pub(crate) type Rows = Vec<(&'static str, String)>;

/// A protocol of the command line. The shared arguments are checked by whoever calls.
pub(crate) trait CommandLine: Driven<Trace: ReadTrace> {
    /// The AIR that is measured unless another one is named, if the program has it.
    const MEASURED: &'static str;
    /// The options that are measured where no others are given. Published measurements are of them.
    const MEASURED_OPTIONS: Self::Options;

    /// The statement of a file.
    type StatementView: Serialize;
    /// What is inside a proof.
    type ContentsView: Serialize;

    /// The request for a proof, and its statement; options that are not given are those of `defaults`, options of other protocols are refused.
    fn request(
        airs: &Airs<Self>,
        air: &str,
        rows: u64,
        arguments: &StatementArguments,
        defaults: &Self::Options,
    ) -> Result<(Request<Self>, Provable<Self>), Failure>;

    /// The options that are given.
    fn given(arguments: &StatementArguments) -> Self::Given;

    /// Options as text.
    fn options_text(options: &Self::Options) -> String;

    /// All options of a proof of the statement of a request, by the names of their arguments without the dashes.
    #[cfg(feature = "farm")]
    fn option_words(request: &Request<Self>, air: &Self::Air) -> Vec<(&'static str, String)>;

    /// Bits of proof of work.
    fn work_bits(options: &Self::Options) -> u32;

    /// The statement and the options that are insisted on; those of other protocols are refused.
    fn expect(arguments: &ExpectArguments) -> Result<Expect<Self>, Failure>;

    /// Which proofs are taken.
    fn policy(arguments: &PolicyArguments) -> Result<Self::Policy, Failure>;

    /// A file as JSON; no options if the proof has none that are possible.
    fn statement_view(file: &Self::File, options: Option<&Self::Options>) -> Self::StatementView;

    /// What only files of this protocol have, as text.
    fn own_rows(file: &Self::File, options: Option<&Self::Options>) -> Rows;

    /// What is inside the proof of a file about one of `airs`, as JSON and as text, if it can be decoded.
    fn contents(airs: &Airs<Self>, file: &Self::File) -> Option<(Self::ContentsView, Rows)>;

    /// What else a verifier must be told to take the proof.
    fn note(_report: &Report<Self>) -> Option<String> {
        None
    }
}

/// A request for a proof.
pub(crate) struct Chosen<F: CommandLine> {
    pub(crate) request: Request<F>,
    /// Its statement.
    pub(crate) statement: Provable<F>,
    /// What the options were chosen to reach.
    pub(crate) profile: Option<Profile>,
}

/// The request for a proof, with the cheapest options that reach what is asked for, and the profile that they reach. Where options are given
/// and nothing is asked for, the others are the defaults, and there is no profile. Where nothing is asked for and the statement has no
/// options that reach the default, they reach the most that there is.
pub(crate) fn chosen<F: CommandLine>(
    airs: &Airs<F>,
    air: &str,
    rows: u64,
    arguments: &StatementArguments,
    security: &SecurityArguments,
) -> Result<Chosen<F>, Failure> {
    let (asked, given) = (security.profile(Profile::DEFAULT)?, F::given(arguments));
    let (mut request, statement) = F::request(airs, air, rows, arguments, &F::Options::default())?;
    if asked.is_none() && given != F::Given::default() {
        return Ok(Chosen { request, statement, profile: None });
    }
    let mut profile = asked.unwrap_or_default();
    let found = match F::cheapest(&request, &statement.air, &given, profile) {
        Err(Error::OutOfReach(out)) if asked.is_none() => {
            profile.bits = out.most.bits;
            F::cheapest(&request, &statement.air, &given, profile)
        }
        found => found,
    };
    request.options = found?;
    Ok(Chosen { request, statement, profile: Some(profile) })
}
