//! What is said of a proof of the Goldilocks protocol that is measured.

use bench::Calls;
use proof::ProofOptions;
use serde::Serialize;

use super::types::{Proven, Report, Request};
use crate::error::Error;
use crate::types::Goldilocks3;
use crate::views::{ProofView, SecurityView};

/// Options of a proof.
#[derive(Serialize)]
pub(crate) struct OptionsView {
    blowup: u32,
    queries: u32,
    grinding: u32,
    coset_offset: String,
    hash: &'static str,
}

impl OptionsView {
    pub(crate) fn new(options: &ProofOptions) -> Self {
        Self {
            blowup: options.blowup,
            queries: options.queries,
            grinding: options.grinding,
            coset_offset: options.coset_offset.to_string(),
            hash: options.hash.name(),
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
