//! A proof that was made and verified.

use crate::report::Report;
use crate::system::ProofSystem;

/// A proof, its statement, and the verifier's report.
#[derive(Clone, Debug)]
pub struct Proven<F: ProofSystem> {
    /// The statement with the proof, encoded: the content of a file.
    pub file: Vec<u8>,
    /// The verifier's report on `file`.
    pub report: Report<F>,
    /// The plan of the proof on the device.
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
