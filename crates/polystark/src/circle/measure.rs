//! What is said of a proof of the Circle protocol that is measured.

use bench::Calls;
use bench::circle::Statement;
use circle_air::RecordedStatement;
use circle_proof::CircleOptions;
use prover_core::circle::ProveError;
use serde::Serialize;

use super::types::{Proven, Report, Request};
use crate::error::Error;
use crate::views::{ProofView, SecurityView};

/// Options of a proof.
#[derive(Serialize)]
pub(crate) struct OptionsView {
    pow_bits: u32,
    log_blowup: u32,
    queries: u32,
    fold_step: u32,
    log_last: u32,
    lifting: Option<u32>,
}

impl OptionsView {
    pub(crate) fn new(options: &CircleOptions) -> Self {
        Self {
            pow_bits: options.pow_bits,
            log_blowup: options.log_blowup,
            queries: options.queries,
            fold_step: options.fold_step,
            log_last: options.log_last,
            lifting: options.lifting,
        }
    }
}

/// Options, their worth, and the proof.
#[derive(Serialize)]
pub struct Facts {
    options: OptionsView,
    security: SecurityView,
    proof: ProofView,
}

impl Facts {
    pub(super) fn new(report: &Report) -> Self {
        Self {
            options: OptionsView::new(&report.options),
            security: SecurityView::new(&report.security),
            proof: ProofView::new(report.proof()),
        }
    }
}

/// The operations of the proof.
pub(super) fn calls<'a>(request: &'a Request, proven: &Proven) -> Result<Calls<'a>, Error> {
    let air = request.build()?;
    let options = proven.report.options;
    let recorded = RecordedStatement::new(&*air, options.lifting).map_err(ProveError::from)?;
    let made = circle_proof::decode(proven.proof()).map_err(|error| Error::CircleVerify(error.into()))?;
    let (nonce, log_domain, generated) = (made.proof_of_work, proven.plan.log_domain, proven.generated);
    Ok(Box::new(move |levels| {
        let trace = air.trace_program().filter(|_| generated);
        Statement { recorded: &recorded, options: &options, trace: trace.as_deref(), levels }.calls(log_domain, nonce)
    }))
}
