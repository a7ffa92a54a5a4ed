//! What is said of a proof of the Circle protocol that is measured.

use bench::Calls;
use bench::circle::Statement;
use circle_air::RecordedStatement;
use prover_core::circle::ProveError;
use serde::Serialize;

use super::{Proven, Report, Request};
use crate::Error;
use crate::cli::circle::OptionsView;
use crate::cli::views::{ProofView, SecurityView};

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
            options: OptionsView::new(&report.verified.options),
            security: SecurityView::new(&report.verified.security),
            proof: ProofView::new(&report.file.proof),
        }
    }
}

/// The operations of the proof.
pub(super) fn calls<'a>(request: &'a Request, proven: &Proven) -> Result<Calls<'a>, Error> {
    let air = request.build()?;
    let options = proven.report.verified.options;
    let recorded = RecordedStatement::new(&*air, options.lifting).map_err(ProveError::from)?;
    let made = circle_proof::decode(proven.proof()).map_err(|error| Error::CircleVerify(error.into()))?;
    let (nonce, log_domain, generated) = (made.proof_of_work, proven.plan.log_domain, proven.generated);
    Ok(Box::new(move |levels| {
        let trace = air.trace_program().filter(|_| generated);
        Statement { recorded: &recorded, options: &options, trace: trace.as_deref(), levels }.calls(log_domain, nonce)
    }))
}
