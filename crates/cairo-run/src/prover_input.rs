//! Files of runs: a ProverInput of stwo-cairo-adapter, as serde's JSON of that type, or its bincode 1.
//!
//! An older revision of the adapter, which Scarb ships, has no key `ec_op_builtin`; JSON without it means that there is
//! none.

use bincode1::Options as _;
use proof_format::text::parser_message;

use crate::detect::{detect, is_json};
use crate::{Kind, Problem, Run};

/// Writes a run as bincode, which [`read_prover_input`] reads.
///
/// # Errors
/// [`Problem::Malformed`] with serde's text, for no run that was read or made here.
pub fn write_prover_input(run: &Run) -> Result<Vec<u8>, Problem> {
    let malformed = |error: bincode1::Error| Problem::Malformed { kind: Kind::ProverInput, why: error.to_string() };
    bincode1::DefaultOptions::new().with_fixint_encoding().serialize(run).map_err(malformed)
}

/// Reads a run. Nothing in it is checked but its form: [`crate::Loaded::from_run`] checks the rest.
///
/// # Errors
/// [`Problem::Malformed`] with serde's text; [`Problem::UnknownKind`] for a file that is known to be something else.
pub fn read_prover_input(bytes: &[u8]) -> Result<Run, Problem> {
    let malformed = |why: String| Problem::Malformed { kind: Kind::ProverInput, why };
    if is_json(bytes) {
        return serde_json::from_slice(bytes).map_err(|error| malformed(parser_message(&error.to_string())));
    }
    // A length in the file cannot claim more than the file has.
    let options = bincode1::DefaultOptions::new().with_fixint_encoding().with_limit(bytes.len() as u64);
    options.deserialize(bytes).map_err(|error| match detect(bytes) {
        Ok(_) => malformed(parser_message(&format!("it is no JSON, and as bincode: {error}"))),
        Err(other) => other,
    })
}
