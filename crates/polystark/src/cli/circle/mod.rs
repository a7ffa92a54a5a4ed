//! The command line for the Circle protocol.

pub(crate) mod arguments;
mod contents;
mod views;

use super::arguments::{StatementArguments, refuse};
use super::exit::Failure;
use super::policy::{ExpectArguments, PolicyArguments, refuse_other};
use super::protocol::{CommandLine, Rows};
use super::values::{Numbers, parameters};
use crate::Provable;
use crate::circle::{Airs, Expect, Given, Policy, Request, decode_proof};
use crate::circle_proof::{CircleOptions, ProofFile};
use crate::hal::CircleStark;
pub(crate) use contents::ContentsView;
pub(crate) use views::StatementView;

impl CommandLine for CircleStark {
    const MEASURED: &'static str = "fibonacci";
    const MEASURED_OPTIONS: CircleOptions =
        CircleOptions { pow_bits: 20, log_blowup: 2, queries: 40, fold_step: 2, log_last: 0, lifting: None };

    type StatementView = StatementView;
    type ContentsView = ContentsView;

    fn request(
        airs: &Airs,
        air: &str,
        rows: u64,
        arguments: &StatementArguments,
        defaults: &CircleOptions,
    ) -> Result<(Request, Provable<Self>), Failure> {
        refuse(arguments.goldilocks.given(), "circle")?;
        let options = arguments.circle.options(arguments.goldilocks.queries(), defaults);
        let (parameters, extras) = (arguments.parameters()?, arguments.circle.extras());
        let request = Request { parameters, options, extras, ..Request::new(air, rows) };
        let statement = airs.build(&request)?;
        Ok((request, statement))
    }

    fn given(arguments: &StatementArguments) -> Given {
        arguments.circle.given_options(arguments.goldilocks.queries())
    }

    fn options_text(options: &CircleOptions) -> String {
        views::options_text(options)
    }

    #[cfg(feature = "farm")]
    fn option_words(request: &Request, air: &Self::Air) -> Vec<(&'static str, String)> {
        option_words(&request.resolved_options(air))
    }

    fn work_bits(options: &CircleOptions) -> u32 {
        options.pow_bits
    }

    fn expect(arguments: &ExpectArguments) -> Result<Expect, Failure> {
        refuse_other(arguments.goldilocks.given(), "circle")?;
        Ok(Expect {
            air: arguments.expect_air.clone(),
            rows: arguments.expect_rows,
            parameters: parameters(&arguments.expect_param)?,
            public_inputs: arguments.expect_public.as_ref().map(Numbers::words).transpose()?,
            options: arguments.circle.options(arguments.goldilocks.queries()),
        })
    }

    fn policy(arguments: &PolicyArguments) -> Result<Policy, Failure> {
        Ok(Policy {
            max_preprocessed_cells: arguments.max_cells,
            preprocessed_root: arguments.preprocessed_root,
            max_bytes: arguments.read.max_bytes,
            ..Policy::asking(arguments.profile()?)
        })
    }

    fn statement_view(file: &ProofFile, options: Option<&CircleOptions>) -> StatementView {
        StatementView::new(file, options)
    }

    fn own_rows(file: &ProofFile, options: Option<&CircleOptions>) -> Rows {
        views::own_rows(file, options)
    }

    fn contents(airs: &Airs, file: &ProofFile) -> Option<(ContentsView, Rows)> {
        let contents = ContentsView::new(&decode_proof(airs, file).ok()?);
        let rows = contents.rows();
        Some((contents, rows))
    }
}

/// Options by the names of their arguments without the dashes.
#[cfg(feature = "farm")]
pub(crate) fn option_words(options: &CircleOptions) -> Vec<(&'static str, String)> {
    let CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting } = *options;
    vec![
        ("pow-bits", pow_bits.to_string()),
        ("log-blowup", log_blowup.to_string()),
        ("queries", queries.to_string()),
        ("fold-step", fold_step.to_string()),
        ("log-last", log_last.to_string()),
        ("lifting", lifting.map_or_else(|| "none".to_owned(), |log| log.to_string())),
    ]
}
