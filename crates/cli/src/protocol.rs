//! The command line's part for a protocol: arguments and views.

use std::fmt;
use std::sync::Arc;

use export::Document;
use gpu_hal::work::Prices;
use sdk::air::airs::FREE;
use sdk::goldilocks::Key;
use sdk::hal::HashFn;
use sdk::proof_format::security::OutOfReach;
use sdk::{AirInstance, Airs, Error, Expect, PolicyError, Profile, ProofSystem, Registry, Report, Request};
use serde::Serialize;

use super::arguments::{Protocol, StatementArguments, with_system};
use crate::arguments::values::{Numbers, parameters};
use crate::inputs::policy::{ExpectArguments, PolicyArguments, SecurityArguments};
use crate::report::exit::{Code, Failure};

/// Lines of a table.
pub(crate) type Rows = Vec<(&'static str, String)>;

/// A proof system of the command line. The shared arguments are checked by the caller.
pub(crate) trait CommandLine: ProofSystem {
    /// The least cost of its arithmetic.
    const PRICES: Prices;
    /// Operations of the base field on constraints that one core of a slow processor does in a second, about.
    const OPERATIONS_A_SECOND: f64;

    /// Options of a proof as JSON, and as text in a line.
    type OptionsView: Serialize + fmt::Display + for<'a> From<&'a Self::Options>;

    /// Words that a job of a farm has unless it says others, where `prove` has another default: a job's name has one
    /// meaning for ever.
    const JOB_WORDS: &'static [(&'static str, &'static str)] = &[];

    /// The request for a proof, its statement, and the options that are given; others come from `defaults`, or without
    /// these are looked for. Options of other protocols are refused.
    fn request(
        airs: &Airs<Self>,
        air: &str,
        rows: u64,
        arguments: &StatementArguments,
        defaults: Option<&Self::Options>,
    ) -> Result<RequestDraft<Self>, Failure>;

    /// As [`Self::request`], with a statement of the shape of its own and other public values, if making these takes
    /// time by the rows. The worth of options follows from such a shape.
    fn shape(
        _airs: &Airs<Self>,
        _air: &str,
        _rows: u64,
        _arguments: &StatementArguments,
    ) -> Result<Option<RequestDraft<Self>>, Failure> {
        Ok(None)
    }

    /// Rows at the end of a trace that no constraint may read, for the options of a request.
    fn free_rows(_request: &Request<Self>, _air: &Self::Air) -> u64 {
        0
    }

    /// A statement as data for other programs, or why it is none.
    fn document(air: &Self::Air) -> Result<Document, String>;

    /// Whether making a statement ready and planning its proof computes nothing of its size.
    const PLANS_FREELY: bool;

    /// The given options with another blowup.
    fn of_blowup(given: &Self::FixedOptions, log_blowup: u32) -> Self::FixedOptions;

    /// The number of queries.
    fn queries(options: &Self::Options) -> u32;

    /// The bytes of a proof of a statement, that of the request, expected over the queries that are drawn; `None` where
    /// that is not known.
    fn expected_bytes(request: &Request<Self>, air: &Self::Air) -> Option<u64>;

    /// All options of a proof of the statement of a request, by the names of their arguments without the dashes.
    fn option_words(request: &Request<Self>, air: &Self::Air) -> Vec<(&'static str, String)>;

    /// The expected statement and options, and the policy on proofs; options of other protocols are refused.
    fn demanded(expect: &ExpectArguments, policy: &PolicyArguments) -> Result<(Expect<Self>, Self::Policy), Failure>;

    /// The cost of a proof of a statement, that of the request, as far as it is known before it is made.
    fn cost(request: &Request<Self>, air: &Self::Air) -> ProofCost;

    /// The fields of a file that no other protocol has, as JSON and as text; no options if the proof has none that are
    /// possible.
    fn own(file: &Self::File, options: Option<&Self::Options>) -> (impl Serialize, Rows);

    /// The contents of the proof of a file about one of `airs`, as JSON and as text, if it can be decoded.
    fn contents(airs: &Airs<Self>, file: &Self::File) -> Option<(impl Serialize, Rows)>;

    /// Expects the statement of a key, which is trusted.
    fn trust(expect: &mut Expect<Self>, key: &Key) -> Result<(), Failure>;

    /// Why verifiers refuse a proof that was verified, from a file of `length` bytes, unless they are told something.
    fn refusals(report: &Report<Self>, length: usize) -> Vec<String>;
}

/// The cost of a proof that is known before it is made.
pub(crate) struct ProofCost {
    /// The hash function of trees and of the proof of work.
    pub(crate) hash: HashFn,
    /// Bits of proof of work.
    pub(crate) work_bits: u32,
    /// Cells of preprocessed columns that the verifier evaluates.
    pub(crate) preprocessed_cells: u64,
    /// Bytes of the proof, without the nonce's, where statement and options fix them.
    pub(crate) proof_bytes: Option<u64>,
}

/// The expectations on a file of any protocol; a number becomes a public input by `public`.
pub(crate) fn expected<F: CommandLine>(
    arguments: &ExpectArguments,
    options: F::ExpectOptions,
    public: impl Fn(u64) -> Result<F::Public, Failure>,
) -> Result<Expect<F>, Failure> {
    let public_inputs = |Numbers(numbers): &Numbers| numbers.iter().map(|number| public(*number)).collect();
    Ok(Expect {
        air: arguments.expect_air.clone(),
        rows: arguments.expect_rows,
        parameters: parameters(&arguments.expect_param)?,
        public_inputs: arguments.expect_public.as_ref().map(public_inputs).transpose()?,
        options,
    })
}

/// Refusals of the default policy.
pub(crate) fn by_default(checks: impl IntoIterator<Item = Result<(), PolicyError>>) -> Vec<String> {
    let refusals = checks.into_iter().filter_map(Result::err);
    refusals.map(|refusal| format!("verifiers will refuse this proof by default: {refusal}")).collect()
}

/// A request for a proof.
pub(crate) struct ProofRequest<F: CommandLine> {
    pub(crate) request: Request<F>,
    /// Its statement.
    pub(crate) statement: AirInstance<F>,
}

/// The request for a proof, with the given options and the cheapest others that reach the requested profile, by default
/// the verifiers' default. A proof that would not reach that is refused: by policy if it was not asked for, as by
/// verifiers.
pub(crate) fn request_to_prove<F: CommandLine>(
    airs: &Airs<F>,
    air: &str,
    rows: u64,
    arguments: &StatementArguments,
    security: &SecurityArguments,
) -> Result<ProofRequest<F>, Failure> {
    let asked = security.profile(Profile::DEFAULT)?;
    let mut found = RequestDraft::new(airs, air, rows, arguments)?;
    found.reach(airs, asked.unwrap_or_default()).map_err(|error| match error {
        Error::OutOfReach(_) if asked.is_none() => Failure { code: Code::Refused, ..error.into() },
        error => error.into(),
    })?;
    let RequestDraft { request, statement, .. } = found;
    let statement = statement.map_or_else(|| airs.build(&request), Ok)?;
    Ok(ProofRequest { request, statement })
}

/// As [`request_to_prove`], to be looked at and not proven: where nothing is asked for and out of reach, with the
/// options that reach the most there is. The statement, if any, may be one of the shape of that of the request.
pub(crate) fn request_to_inspect<F: CommandLine>(
    airs: &Airs<F>,
    air: &str,
    rows: u64,
    arguments: &StatementArguments,
    security: &SecurityArguments,
) -> Result<RequestDraft<F>, Failure> {
    let asked = security.profile(Profile::DEFAULT)?;
    let mut found = RequestDraft::new(airs, air, rows, arguments)?;
    match found.reach(airs, asked.unwrap_or_default()) {
        Err(Error::OutOfReach(OutOfReach { profile, most })) if asked.is_none() => {
            found.reach(airs, Profile { bits: most.bits, ..profile })?;
        }
        reached => reached?,
    }
    Ok(found)
}

/// A statement of the shape of a request's, for any options.
pub(crate) fn shaped<F: CommandLine>(
    airs: &Airs<F>,
    air: &str,
    rows: u64,
    arguments: &StatementArguments,
) -> Result<Arc<F::Air>, Failure> {
    RequestDraft::new(airs, air, rows, arguments).map(|asked| asked.air)
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
    with_system!(protocol, S => request_to_prove::<S>(&registry.airs(), air, rows, statement, security).map(drop))
}

/// How often options and free rows are chosen again: the second choice stays, unless the layout changes with each.
const ROUNDS: usize = 8;

/// A request whose options are looked for.
pub(crate) struct RequestDraft<F: CommandLine> {
    pub(crate) request: Request<F>,
    /// The options that are given.
    pub(crate) given: F::FixedOptions,
    /// A statement of its shape.
    pub(crate) air: Arc<F::Air>,
    /// Its own, if that is made already.
    pub(crate) statement: Option<AirInstance<F>>,
    /// Whether its AIR is to leave as many rows free as its options need.
    pub(crate) frees: bool,
}

impl<F: CommandLine> Clone for RequestDraft<F> {
    fn clone(&self) -> Self {
        let Self { request, given, air, statement, frees } = self;
        let (request, given, air) = (request.clone(), given.clone(), air.clone());
        Self { request, given, air, statement: statement.clone(), frees: *frees }
    }
}

impl<F: CommandLine> RequestDraft<F> {
    fn new(airs: &Airs<F>, air: &str, rows: u64, arguments: &StatementArguments) -> Result<Self, Failure> {
        let of_its_own = || F::request(airs, air, rows, arguments, None);
        F::shape(airs, air, rows, arguments)?.map_or_else(of_its_own, Ok)
    }

    /// Takes the cheapest options that reach a profile, beside the given ones.
    pub(crate) fn reach(&mut self, airs: &Airs<F>, profile: Profile) -> Result<(), Error> {
        self.request.profile = profile;
        self.settle(airs, &|draft| F::cheapest(&draft.request, &draft.air, &draft.given, profile))
    }

    /// Chooses options, and has the AIR leave as many rows free as they need, if that is what it is to do. Another
    /// number of free rows may be another layout, for which other options are chosen: both are chosen again until they
    /// stay. Where they do not in [`ROUNDS`], whoever counts the free rows of the proof decides.
    pub(crate) fn settle<E: From<Error>>(
        &mut self,
        airs: &Airs<F>,
        choose: &dyn Fn(&Self) -> Result<F::Options, E>,
    ) -> Result<(), E> {
        self.request.options = choose(self)?;
        for _ in 0..ROUNDS {
            let needed = F::free_rows(&self.request, &self.air);
            if !self.frees || self.request.parameters.insert(FREE.name.to_owned(), needed) == Some(needed) {
                break;
            }
            let built = airs.build(&self.request).map_err(Error::from)?;
            (self.air, self.statement) = (built.air.clone(), Some(built));
            self.request.options = choose(self)?;
        }
        Ok(())
    }
}
