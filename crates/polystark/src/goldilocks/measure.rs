//! What is said of a proof of the Goldilocks protocol that is measured.

use bench::Calls;
use serde::Serialize;

use super::{Proven, Report, Request};
use crate::cli::views::{OptionsView, ProofView, SecurityView};
use crate::{Error, Goldilocks3};

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
            options: OptionsView::new(&report.statement.options),
            security: SecurityView::new(&report.security),
            proof: ProofView::new(&report.statement.proof),
        }
    }
}

/// The operations of the proof.
pub(super) fn calls<'a>(request: &'a Request, proven: &Proven) -> Result<Calls<'a>, Error> {
    let air = request.build()?;
    let recorded = air::record(&*air)?;
    let nonce = proof::decode::<Goldilocks3>(proven.proof()).map_err(Error::Proof)?.nonce;
    let orders = air
        .trace_program()
        .filter(|_| proven.generated)
        .map(|program| program.columns.iter().map(|column| column.coefficients.len() as u64).collect::<Vec<u64>>());
    let plan = proven.plan.clone();
    Ok(Box::new(move |levels| {
        bench::goldilocks::calls(&recorded, &plan, &request.options, orders.as_deref(), nonce, levels)
    }))
}
