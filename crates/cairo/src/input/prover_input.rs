//! A ProverInput from a file: serde's JSON of stwo-cairo-adapter's type, or its bincode 1.
//!
//! An older revision of the adapter, which Scarb ships, has no key `ec_op_builtin`; JSON without it means that there is
//! none.

use bincode1::Options as _;
use proof_format::text::said;
use stwo_cairo_adapter::ProverInput;

use super::{Kind, Problem, kind};

/// Writes a ProverInput as bincode, which [`super::load`] reads.
///
/// # Errors
/// What serde says: nothing of a ProverInput that was read or made here.
pub fn write_prover_input(input: &ProverInput) -> Result<Vec<u8>, Problem> {
    let malformed = |error: bincode1::Error| Problem::Malformed { kind: Kind::ProverInput, why: error.to_string() };
    bincode1::DefaultOptions::new().with_fixint_encoding().serialize(input).map_err(malformed)
}

/// Reads a ProverInput. Nothing in it is checked but its form.
pub(super) fn read(bytes: &[u8]) -> Result<ProverInput, Problem> {
    let malformed = |why: String| Problem::Malformed { kind: Kind::ProverInput, why: said(&why) };
    if kind::is_json(bytes) {
        return serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()));
    }
    // A length in the file cannot claim more than the file has.
    bincode1::DefaultOptions::new().with_fixint_encoding().with_limit(bytes.len() as u64).deserialize(bytes).map_err(
        |error| match crate::file::decode(bytes, u64::MAX) {
            // A proof in bincode begins like a ProverInput in bincode.
            Ok(_) => Problem::UnknownKind(kind::PROOF.into()),
            Err(_) => malformed(format!("it is no JSON, and as bincode: {error}")),
        },
    )
}
