//! The statement of a file, and the verdict about its proof.

use std::collections::BTreeMap;

use proof_format::Security;

use crate::system::ProofSystem;

/// The statement and the bare proof, as a file has them.
#[derive(Clone, Copy, Debug)]
pub struct Stated<'a, F: ProofSystem> {
    /// Name of the AIR.
    pub air: &'a str,
    /// Rows of the trace, of the first component where there are several.
    pub rows: u64,
    /// Parameters of the AIR.
    pub parameters: &'a BTreeMap<String, u64>,
    /// Public inputs.
    pub public_inputs: &'a [F::Public],
    /// The bare proof.
    pub proof: &'a [u8],
}

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
