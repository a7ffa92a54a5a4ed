//! The command line's part for a protocol: arguments and views.

use std::sync::Arc;

use adversary::Bounds;
use bench::Measurable;
use sdk::hal::HashFn;
use sdk::proof_format::security::OutOfReach;
use sdk::{
    Airs, Error, Expect, PolicyError, Profile, ProofSystem, Provable, Proven, Registered, Registry, Report, Request,
};
use serde::Serialize;

use super::arguments::{Protocol, StatementArguments, with_system};
use super::exit::{Code, Failure};
use super::policy::{ExpectArguments, PolicyArguments, SecurityArguments};
use super::soak::case::Drawn;
use super::statement_view::StatementView;
use super::values::{Numbers, parameters};

/// Lines of a table.
pub(crate) type Rows = Vec<(&'static str, String)>;

/// A request, and a statement of the shape of its own.
pub(crate) type Shaped<F> = (Request<F>, Arc<<F as ProofSystem>::Air>);

/// A proof system of the command line. The shared arguments are checked by the caller.
pub(crate) trait CommandLine: Registered + Measurable {
    /// The AIR that is measured unless another one is named, if the program has it, and the options that are measured
    /// where no others are given. Published measurements are of them.
    const MEASURED: (&'static str, Self::Options);

    /// Operations of the base field on constraints that one core of a slow processor does in a second, about.
    const OPERATIONS_A_SECOND: f64;

    /// Options of a proof as JSON.
    type OptionsView: Serialize + for<'a> From<&'a Self::Options>;

    /// The request for a proof, and its statement; options that are not given come from `defaults`, options of other
    /// protocols are refused.
    fn request(
        airs: &Airs<Self>,
        air: &str,
        rows: u64,
        arguments: &StatementArguments,
        defaults: &Self::Options,
    ) -> Result<(Request<Self>, Provable<Self>), Failure>;

    /// The request with the given options, and a statement of the shape of its own with other public values, if making
    /// these takes time by the rows. The worth of options follows from such a shape.
    fn shape(
        _airs: &Airs<Self>,
        _air: &str,
        _rows: u64,
        _arguments: &StatementArguments,
    ) -> Result<Option<Shaped<Self>>, Failure> {
        Ok(None)
    }

    /// The options that are given.
    fn given(arguments: &StatementArguments) -> Self::FixedOptions;

    /// Options as text.
    fn options_text(options: &Self::Options) -> String;

    /// All options of a proof of the statement of a request, by the names of their arguments without the dashes.
    fn option_words(request: &Request<Self>, air: &Self::Air) -> Vec<(&'static str, String)>;

    /// The hash function of trees and of the proof of work.
    fn tree_hash(options: &Self::Options) -> HashFn;

    /// Bits of proof of work.
    fn work_bits(options: &Self::Options) -> u32;

    /// A number as a public input.
    fn public_input(number: u64) -> Result<Self::Public, Failure>;

    /// The expected options; options of other protocols are refused.
    fn expect_options(arguments: &ExpectArguments) -> Result<Self::ExpectOptions, Failure>;

    /// The expected statement and options; options of other protocols are refused.
    fn expect(arguments: &ExpectArguments) -> Result<Expect<Self>, Failure> {
        let options = Self::expect_options(arguments)?;
        let public = |Numbers(numbers): &Numbers| numbers.iter().map(|number| Self::public_input(*number)).collect();
        Ok(Expect {
            air: arguments.expect_air.clone(),
            rows: arguments.expect_rows,
            parameters: parameters(&arguments.expect_param)?,
            public_inputs: arguments.expect_public.as_ref().map(public).transpose()?,
            options,
        })
    }

    /// The policy on proofs.
    fn policy(arguments: &PolicyArguments) -> Result<Self::Policy, Failure>;

    /// The sizes of a proof of a statement, that of the request, as far as they are known before it is made.
    fn sizes(request: &Request<Self>, air: &Self::Air) -> Sizes;

    /// The fields of a file that no other protocol has, as JSON; no options if the proof has none that are possible.
    fn own_view(file: &Self::File, options: Option<&Self::Options>) -> impl Serialize;

    /// A file as JSON.
    fn statement_view(file: &Self::File, options: Option<&Self::Options>) -> impl Serialize {
        StatementView::new::<Self>(file, Self::own_view(file, options))
    }

    /// The rows of a file that no other protocol has, as text.
    fn own_rows(file: &Self::File, options: Option<&Self::Options>) -> Rows;

    /// Whether a statement vouches for the multiplicities of its lookups, which nothing else bounds.
    fn vouches(_air: &Self::Air) -> bool {
        false
    }

    /// The contents of the proof of a file about one of `airs`, as JSON and as text, if it can be decoded.
    fn contents(airs: &Airs<Self>, file: &Self::File) -> Option<(impl Serialize, Rows)>;

    /// Why verifiers refuse a proof that was verified, from a file of `length` bytes, unless they are told something.
    fn refusals(report: &Report<Self>, length: usize) -> Vec<String>;

    /// The nonce of a proof; 0 if it has none.
    fn nonce(proven: &Proven<Self>) -> Result<u64, Error>;

    /// The random statement of a seed, and lies about it.
    fn drawn(seed: u64, bounds: &Bounds) -> Drawn<Self>;
}

/// Sizes of a proof that are known before it is made.
pub(crate) struct Sizes {
    /// Cells of preprocessed columns that the verifier evaluates.
    pub(crate) preprocessed_cells: u64,
    /// Bytes of the proof, without the nonce's, where statement and options fix them.
    pub(crate) proof_bytes: Option<u64>,
}

/// Refusals of the default policy.
pub(crate) fn by_default(checks: impl IntoIterator<Item = Result<(), PolicyError>>) -> Vec<String> {
    let refusals = checks.into_iter().filter_map(Result::err);
    refusals.map(|refusal| format!("verifiers will refuse this proof by default: {refusal}")).collect()
}

/// A request for a proof.
pub(crate) struct Chosen<F: CommandLine> {
    pub(crate) request: Request<F>,
    /// Its statement.
    pub(crate) statement: Provable<F>,
}

/// The request for a proof, with the given options and the cheapest others that reach the requested profile, by default
/// the verifiers' default. A proof that would not reach that is refused: by policy if it was not asked for, as by
/// verifiers.
pub(crate) fn chosen<F: CommandLine>(
    airs: &Airs<F>,
    air: &str,
    rows: u64,
    arguments: &StatementArguments,
    security: &SecurityArguments,
) -> Result<Chosen<F>, Failure> {
    let asked = security.profile(Profile::DEFAULT)?;
    let mut planned = Planned::new(airs, air, rows, arguments)?;
    planned.reach(arguments, asked.unwrap_or_default()).map_err(|error| match error {
        Error::OutOfReach(_) if asked.is_none() => Failure { code: Code::Refused, ..error.into() },
        error => error.into(),
    })?;
    let Planned { request, statement, .. } = planned;
    let statement = statement.map_or_else(|| airs.build(&request), Ok)?;
    Ok(Chosen { request, statement })
}

/// As [`chosen`], to be looked at and not proven: where nothing is asked for and out of reach, with the options that
/// reach the most there is. The statement is one of the shape of that of the request.
pub(crate) fn looked_at<F: CommandLine>(
    airs: &Airs<F>,
    air: &str,
    rows: u64,
    arguments: &StatementArguments,
    security: &SecurityArguments,
) -> Result<Shaped<F>, Failure> {
    let asked = security.profile(Profile::DEFAULT)?;
    let mut planned = Planned::new(airs, air, rows, arguments)?;
    match planned.reach(arguments, asked.unwrap_or_default()) {
        Err(Error::OutOfReach(OutOfReach { profile, most })) if asked.is_none() => {
            planned.reach(arguments, Profile { bits: most.bits, ..profile })?;
        }
        reached => reached?,
    }
    Ok((planned.request, planned.air))
}

/// A statement of the shape of a request's, for any options.
pub(crate) fn shaped<F: CommandLine>(
    airs: &Airs<F>,
    air: &str,
    rows: u64,
    arguments: &StatementArguments,
) -> Result<Arc<F::Air>, Failure> {
    Planned::new(airs, air, rows, arguments).map(|planned| planned.air)
}

/// Statements of more rows are left alone: some take time by the rows.
const MOST_ROWS: u64 = 1 << 12;

/// Whether the statement exists and has such options.
pub(crate) fn check_statement(
    (protocol, air, rows): (Option<Protocol>, &str, u64),
    statement: &StatementArguments,
    security: &SecurityArguments,
    registry: &Registry,
) -> Result<(), Failure> {
    let protocol = Protocol::of_air(protocol, air, registry)?;
    if rows > MOST_ROWS {
        return Ok(());
    }
    with_system!(protocol, S => chosen::<S>(&registry.airs(), air, rows, statement, security).map(drop))
}

/// A request whose options are looked for.
struct Planned<F: CommandLine> {
    request: Request<F>,
    /// A statement of its shape.
    air: Arc<F::Air>,
    /// Its own, if that is made already.
    statement: Option<Provable<F>>,
}

impl<F: CommandLine> Planned<F> {
    fn new(airs: &Airs<F>, air: &str, rows: u64, arguments: &StatementArguments) -> Result<Self, Failure> {
        if let Some((request, air)) = F::shape(airs, air, rows, arguments)? {
            return Ok(Self { request, air, statement: None });
        }
        let (request, statement) = F::request(airs, air, rows, arguments, &F::Options::default())?;
        Ok(Self { request, air: statement.air.clone(), statement: Some(statement) })
    }

    /// Takes the cheapest options that reach a profile, beside the given ones.
    fn reach(&mut self, arguments: &StatementArguments, profile: Profile) -> Result<(), Error> {
        let options = F::cheapest(&self.request, &self.air, &F::given(arguments), profile)?;
        (self.request.options, self.request.profile) = (options, profile);
        Ok(())
    }
}
