//! The command line for the Goldilocks protocol.

pub(crate) mod arguments;
mod contents;
mod views;

use super::arguments::{StatementArguments, refuse};
use super::exit::Failure;
use super::policy::{ExpectArguments, PolicyArguments, refuse_other};
use super::protocol::{CommandLine, Rows};
use super::values::{Numbers, parameters};
use crate::goldilocks::{Airs, Expect, Policy, Report, Request, decode_proof};
use crate::proof_format::policy::MIN_SECURITY_BITS;
use crate::{Goldilocks3, ProofOptions, SecurityKind, Statement};
pub(crate) use contents::ContentsView;
pub(crate) use views::StatementView;

impl CommandLine for Goldilocks3 {
    const MEASURED: &'static str = "fibonacci-rap";
    const KIND: SecurityKind = SecurityKind::Conjectured;
    const MIN_SECURITY_BITS: u32 = MIN_SECURITY_BITS;

    type StatementView = StatementView;
    type ContentsView = ContentsView;

    fn request(airs: &Airs, air: &str, rows: u64, arguments: &StatementArguments) -> Result<Request, Failure> {
        refuse(arguments.circle.given(), "goldilocks")?;
        let mut request = Request::new(air, rows);
        request.parameters = arguments.parameters()?;
        request.extras = arguments.goldilocks.extras();
        request.options = arguments.goldilocks.options(airs.build(&request)?.air.layout().composition_parts);
        Ok(request)
    }

    fn work_bits(options: &ProofOptions) -> u32 {
        options.grinding
    }

    fn expect(arguments: &ExpectArguments) -> Result<Expect, Failure> {
        refuse_other(arguments.circle.given(), "goldilocks")?;
        Ok(Expect {
            air: arguments.expect_air.clone(),
            rows: arguments.expect_rows,
            parameters: parameters(&arguments.expect_param)?,
            public_inputs: arguments.expect_public.as_ref().map(Numbers::elements).transpose()?,
            options: arguments.goldilocks.options(),
        })
    }

    fn policy(arguments: &PolicyArguments) -> Policy {
        let (min_security_bits, kind) = arguments.security::<Self>();
        Policy { min_security_bits, kind, max_bytes: arguments.read.max_bytes }
    }

    fn statement_view(file: &Statement, _: Option<&ProofOptions>) -> StatementView {
        StatementView::new(file)
    }

    fn own_rows(file: &Statement, _: Option<&ProofOptions>) -> Rows {
        views::own_rows(file)
    }

    fn contents(airs: &Airs, file: &Statement) -> Option<(ContentsView, Rows)> {
        let contents = ContentsView::new(&decode_proof(airs, file).ok()?);
        let rows = contents.rows();
        Some((contents, rows))
    }

    fn note(report: &Report) -> Option<String> {
        let seed = report.file.seed.as_ref()?;
        Some(format!("verifiers refuse a given seed unless told --expect-seed '{}'", hex::encode(seed)))
    }
}
