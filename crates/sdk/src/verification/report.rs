//! The verdict about a proof, and a proof with it.

use proof_format::Security;

use crate::system::ProofSystem;

/// The report on a proof. There is one only for a proof that the verifier accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report<F: ProofSystem> {
    /// The statement, and the proof.
    pub file: F::File,
    /// The options of the proof.
    pub options: F::Options,
    /// The security of the proof.
    pub security: Security,
    /// Cells of preprocessed columns, which the verifier evaluated itself.
    pub preprocessed_cells: u64,
}

impl<F: ProofSystem> Report<F> {
    /// Rows of the trace.
    pub fn rows(&self) -> u64 {
        F::stated(&self.file).rows
    }

    /// The public inputs.
    pub fn public_inputs(&self) -> &[F::Public] {
        F::stated(&self.file).public_inputs
    }

    /// The bare proof.
    pub fn proof(&self) -> &[u8] {
        F::stated(&self.file).proof
    }
}

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
