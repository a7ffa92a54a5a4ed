//! What is said of a proof of the Circle protocol that is measured.

use serde::Serialize;

use super::{Proven, Report};
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

/// The nonce of the proof.
pub(super) fn nonce(proven: &Proven) -> Result<u64, Error> {
    let made = circle_proof::decode(proven.proof()).map_err(|error| Error::CircleVerify(error.into()))?;
    Ok(made.proof_of_work)
}
