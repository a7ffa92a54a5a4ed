//! A proof that was made and verified.

use crate::report::Report;
use crate::system::ProofSystem;

/// A proof, its statement, and what the verifier said.
#[derive(Clone, Debug)]
pub struct Proven<F: ProofSystem> {
    /// The statement with the proof, encoded: what goes into a file.
    pub file: Vec<u8>,
    /// What the verifier found in `file`.
    pub report: Report<F>,
    /// What the proof took on the device.
    pub plan: F::Plan,
    /// Whether the device made the trace; else it was uploaded.
    pub generated: bool,
}

impl<F: ProofSystem> Proven<F> {
    /// The bare proof.
    pub fn proof(&self) -> &[u8] {
        self.report.proof()
    }
}
