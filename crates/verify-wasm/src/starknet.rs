//! Starknet's client proofs, which do not say their statement.

use alloc::string::ToString;

use cairo_run::{Felt252, Problem, parse_arguments_file};
use circle_proof::{CAIRO_PROFILE, Policy};
use client::{ClientVerifier, Verified, facts};
use proof_format::policy::{MAX_BYTES, check_length};

use crate::Refusal;

/// Whether a file begins as a client proof does.
pub(crate) fn is_client_proof(file: &[u8]) -> bool {
    file.starts_with(&client::file::VERSION)
}

/// Verifies that a client proof states these facts, or this output preimage: a JSON array of felts. Its first felt
/// tells which of them it is.
///
/// # Errors
/// The first check that failed; its text is that of `polystark cairo client-verify`.
pub fn verify_client(file: &[u8], statement: &[u8]) -> Result<Verified, Refusal> {
    check_length(file.len(), MAX_BYTES)?;
    if statement.is_empty() {
        return Err(Refusal::NoStatement);
    }
    let felts = parse_arguments_file(statement).map_err(|problem| match problem {
        Problem::Arguments(why) => Refusal::Felts(why),
        problem => Refusal::Felts(problem.to_string()),
    })?;
    let verifier = ClientVerifier::new(&Policy::asking(CAIRO_PROFILE))?;
    let is_facts = felts.first() == Some(&Felt252::from_bytes_be_slice(facts::PROOF_VERSION));
    Ok(if is_facts { verifier.verify_facts(file, &felts) } else { verifier.verify(file, &felts) }?)
}
