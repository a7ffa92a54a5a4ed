//! The command line for the Circle protocol.

pub(crate) mod arguments;
mod contents;
mod views;

use super::arguments::{StatementArguments, refuse};
use super::exit::Failure;
use super::policy::{ExpectArguments, PolicyArguments, refuse_other};
use super::protocol::{CommandLine, Rows};
use super::values::{Numbers, parameters};
use crate::SecurityKind;
use crate::circle::{Airs, Expect, Policy, Request, decode_proof};
use crate::circle_proof::policy::{MIN_QUERY_BITS, MIN_SECURITY_BITS};
use crate::circle_proof::{CircleOptions, ProofFile};
use crate::hal::CircleStark;
pub(crate) use contents::ContentsView;
pub(crate) use views::StatementView;

impl CommandLine for CircleStark {
    const MEASURED: &'static str = "fibonacci";
    const KIND: SecurityKind = SecurityKind::Claimed;
    const MIN_SECURITY_BITS: u32 = MIN_SECURITY_BITS;

    type StatementView = StatementView;
    type ContentsView = ContentsView;

    fn request(_: &Airs, air: &str, rows: u64, arguments: &StatementArguments) -> Result<Request, Failure> {
        refuse(arguments.goldilocks.given(), "circle")?;
        let (options, extras) = (arguments.circle.options(arguments.goldilocks.queries()), arguments.circle.extras());
        Ok(Request { parameters: arguments.parameters()?, options, extras, ..Request::new(air, rows) })
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

    fn policy(arguments: &PolicyArguments) -> Policy {
        let (min_security_bits, kind) = arguments.security::<Self>();
        Policy {
            min_security_bits,
            kind,
            min_query_bits: arguments.min_security_bits.unwrap_or(MIN_QUERY_BITS),
            max_preprocessed_cells: arguments.max_cells,
            preprocessed_root: arguments.preprocessed_root,
            max_bytes: arguments.read.max_bytes,
            ..Policy::default()
        }
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
