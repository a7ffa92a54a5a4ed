//! What is said of a proof of the Goldilocks protocol that is measured.

use serde::Serialize;

use super::{Proven, Report};
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

/// The nonce of the proof.
pub(super) fn nonce(proven: &Proven) -> Result<u64, Error> {
    Ok(proof::decode::<Goldilocks3>(proven.proof()).map_err(Error::Proof)?.nonce.unwrap_or(0))
}
