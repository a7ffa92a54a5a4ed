//! The command line for the Circle protocol.

pub(crate) mod arguments;
mod contents;
mod views;

use std::sync::Arc;

use circle_proof::{CircleOptions, ProofFile, Suite};
use gpu_hal::work::Prices;
use sdk::ParamKind;
use sdk::circle::{Airs, Expect, FixedOptions, Policy, Report, Request, decode_proof};
use sdk::circle_air::Statement;
use sdk::goldilocks::Key;
use sdk::hal::CircleStark;
use serde::Serialize;

use self::contents::ContentsView;
use self::views::{OptionsView, OwnView};
use super::arguments::{StatementArguments, refuse};
use super::protocol::{CommandLine, ProofCost, RequestDraft, Rows, by_default, expected};
use crate::inputs::policy::{ExpectArguments, PolicyArguments, refuse_other};
use crate::report::exit::Failure;

impl CommandLine for CircleStark {
    const PRICES: Prices = Prices::CIRCLE;
    /// A core with vectors of 512 bits did 1.6 10^9, in a build with assertions.
    const OPERATIONS_A_SECOND: f64 = (1 << 28) as f64;

    type OptionsView = OptionsView;

    fn request(
        airs: &Airs,
        air: &str,
        rows: u64,
        arguments: &StatementArguments,
        defaults: Option<&CircleOptions>,
    ) -> Result<RequestDraft<Self>, Failure> {
        let defaults = defaults.cloned().unwrap_or_default();
        let (request, given) = asked(air, rows, arguments, &defaults)?;
        let statement = airs.build(&request)?;
        Ok(RequestDraft { request, given, air: statement.air.clone(), statement: Some(statement), frees: false })
    }

    fn shape(
        airs: &Airs,
        air: &str,
        rows: u64,
        arguments: &StatementArguments,
    ) -> Result<Option<RequestDraft<Self>>, Failure> {
        let (request, given) = asked(air, rows, arguments, &CircleOptions::default())?;
        Ok(shape_of(airs, &request).map(|air| RequestDraft { request, given, air, statement: None, frees: false }))
    }

    fn document(statement: &dyn Statement) -> Result<export::Document, String> {
        export::circle::document(statement).map_err(|error| error.to_string())
    }

    /// Preprocessed columns and their tree are made before the plan.
    const PLANS_FREELY: bool = false;

    fn of_blowup(given: &FixedOptions, log_blowup: u32) -> FixedOptions {
        FixedOptions { log_blowup: Some(log_blowup), ..*given }
    }

    fn queries(options: &CircleOptions) -> u32 {
        options.queries
    }

    fn expected_bytes(_: &Request, _: &Self::Air) -> Option<u64> {
        None
    }

    fn option_words(request: &Request, air: &Self::Air) -> Vec<(&'static str, String)> {
        option_words(&request.resolved_options(air))
    }

    fn demanded(expect: &ExpectArguments, policy: &PolicyArguments) -> Result<(Expect, Policy), Failure> {
        let policy = Policy {
            suite: policy.channel.suite(),
            max_preprocessed_cells: policy.cells.most(),
            preprocessed_root: policy.preprocessed_root,
            max_bytes: policy.read.max_bytes,
            ..Policy::asking(policy.profile()?)
        };
        refuse_other(expect.goldilocks.given(), "circle")?;
        let options = expect.circle.options(expect.goldilocks.queries());
        let word = |number: u64| {
            u32::try_from(number).map_err(|_| Failure::usage(format!("--expect-public: {number} is not below 2^32")))
        };
        Ok((expected(expect, options, word)?, policy))
    }

    fn cost(request: &Request, air: &Self::Air) -> ProofCost {
        let CircleOptions { lifting, pow_bits, suite, .. } = request.resolved_options(air);
        ProofCost {
            hash: suite.tree(),
            work_bits: pow_bits,
            preprocessed_cells: circle_proof::preprocessed_cells(air, lifting),
            proof_bytes: None,
        }
    }

    fn own(file: &ProofFile, options: Option<&CircleOptions>) -> (impl Serialize, Rows) {
        (OwnView::new(file, options), views::own_rows(file, options))
    }

    fn contents(airs: &Airs, file: &ProofFile) -> Option<(impl Serialize, Rows)> {
        let contents = ContentsView::new(&decode_proof(airs, file).ok()?);
        let rows = contents.rows();
        Some((contents, rows))
    }

    fn trust(_: &mut Expect, _: &Key) -> Result<(), Failure> {
        refuse_other(Some("--key"), "circle")
    }

    fn refusals(report: &Report, length: usize) -> Vec<String> {
        let policy = Policy::default();
        by_default([
            policy.check_length(length),
            policy.check_options(&report.options),
            policy.check_preprocessed(report.preprocessed_cells),
            policy.check_security(&report.security),
        ])
    }
}

/// The request, with options that are not given as in `defaults`, and the given ones.
fn asked(
    air: &str,
    rows: u64,
    arguments: &StatementArguments,
    defaults: &CircleOptions,
) -> Result<(Request, FixedOptions), Failure> {
    refuse(arguments.goldilocks.given(), "circle")?;
    let queries = arguments.goldilocks.queries();
    let options = arguments.circle.options(queries, defaults);
    let (parameters, extras) = (arguments.parameters()?, arguments.circle.extras());
    let request = Request { parameters, options, extras, ..Request::new(air, rows) };
    Ok((request, arguments.circle.given_options(queries)))
}

/// A statement of the shape of a request's, if its words are computed from a parameter that files do not hold, as the
/// words of a digest are: with the digest of the fewest rows. The second word is log2 of the rows. Where it is not,
/// there is none.
fn shape_of(airs: &Airs, request: &Request) -> Option<Arc<dyn Statement>> {
    let family = airs.get(&request.air)?;
    family.params().iter().find(|param| param.kind == ParamKind::Preimage)?;
    let least = Request { rows: 1 << *family.log_rows().start(), ..request.clone() };
    let mut words = airs.build(&least).ok()?.air.words();
    let log_rows = request.rows.is_power_of_two().then(|| request.rows.ilog2())?;
    *words.get_mut(1)? = log_rows;
    let (air, parameters) = (request.air.clone(), airs.public_parameters(request).ok()?);
    let (claimed_sums, proof, suite) = (Vec::new(), Vec::new(), request.options.suite);
    airs.stated(&ProofFile { air, parameters, log_rows, words, claimed_sums, proof, suite }).ok()
}

/// Options by the names of their arguments without the dashes.
pub(crate) fn option_words(options: &CircleOptions) -> Vec<(&'static str, String)> {
    let CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite } = *options;
    let mut words = vec![
        ("pow-bits", pow_bits.to_string()),
        ("log-blowup", log_blowup.to_string()),
        ("queries", queries.to_string()),
        ("fold-step", fold_step.to_string()),
        ("log-last", log_last.to_string()),
        ("lifting", lifting.map_or_else(|| "none".to_owned(), |log| log.to_string())),
    ];
    // Left out as in files: a job's name is a digest of its words, and stays the same.
    if suite != Suite::default() {
        words.push(("channel", suite.to_string()));
    }
    words
}
