//! What is said of a proof of the Goldilocks protocol that is measured.

use proof::ProofOptions;
use serde::Serialize;

use super::types::{Proven, Report};
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

/// The nonce of the proof.
pub(super) fn nonce(proven: &Proven) -> Result<u64, Error> {
    Ok(proof::decode::<Goldilocks3>(proven.proof()).map_err(Error::Proof)?.nonce.unwrap_or(0))
}
