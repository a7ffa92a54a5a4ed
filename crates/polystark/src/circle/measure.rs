//! What is said of a proof of the Circle protocol that is measured.

use circle_proof::{CircleOptions, VerifyError};
use serde::Serialize;

use super::types::Proven;
use crate::error::Error;

/// Options of a proof.
#[derive(Serialize)]
pub struct OptionsView {
    pow_bits: u32,
    log_blowup: u32,
    queries: u32,
    fold_step: u32,
    log_last: u32,
    lifting: Option<u32>,
}

impl From<&CircleOptions> for OptionsView {
    fn from(options: &CircleOptions) -> Self {
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

/// The nonce of the proof.
pub(super) fn nonce(proven: &Proven) -> Result<u64, Error> {
    let made = circle_proof::decode(proven.proof()).map_err(VerifyError::from)?;
    Ok(made.proof_of_work)
}
