//! The statement of a file, as JSON. Field elements and other numbers that a JSON reader may round are strings.

use std::collections::BTreeMap;

use sdk::{FileContents, ProofSystem};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct StatementView<O> {
    protocol: &'static str,
    extension_degree: usize,
    air: String,
    rows: u64,
    parameters: BTreeMap<String, u64>,
    public_inputs: Vec<String>,
    /// The fields that only its protocol has.
    #[serde(flatten)]
    own: O,
}

impl<O> StatementView<O> {
    /// A file, beside the fields that only its protocol has.
    pub(crate) fn new<F: ProofSystem>(file: &F::File, own: O) -> Self {
        let FileContents { air, rows, parameters, public_inputs, .. } = F::stated(file);
        Self {
            protocol: F::NAME,
            extension_degree: F::DEGREE,
            air: air.to_owned(),
            rows,
            parameters: parameters.clone(),
            public_inputs: public_inputs.iter().map(ToString::to_string).collect(),
            own,
        }
    }
}
