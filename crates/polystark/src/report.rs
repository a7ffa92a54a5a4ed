//! What a file says, and what was proven.

use std::collections::BTreeMap;

use proof_format::Security;

use crate::types::FlavourTypes;

/// What a file says of its statement.
#[derive(Clone, Copy, Debug)]
pub struct Stated<'a, F: FlavourTypes> {
    /// Name of the AIR.
    pub air: &'a str,
    /// Rows of the trace, of the first component where there are several.
    pub rows: u64,
    /// Parameters of the AIR.
    pub parameters: &'a BTreeMap<String, u64>,
    /// Public inputs.
    pub public_inputs: &'a [F::Public],
}

/// What was proven. There is one only of what the verifier accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report<F: FlavourTypes> {
    /// The statement, and the proof.
    pub file: F::File,
    /// The options of the proof.
    pub options: F::Options,
    /// What the proof is worth.
    pub security: Security,
    /// Cells of preprocessed columns, which the verifier evaluated itself.
    pub preprocessed_cells: u64,
}
