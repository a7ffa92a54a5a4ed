//! The verifier of Starknet's client proofs under the names of StarkWare's crate `privacy-circuit-verify` 1.2.2, for
//! programs that were written for that one: a `[patch]` line replaces it.
#![forbid(unsafe_code)]

use std::error::Error;

use circle_proof::Policy;
use client::ClientVerifier;
use client::file::VERSION;
use starknet_types_core::felt::Felt;

/// Bytes at the front of a proof, which say the version of its format.
pub const VERSION_BYTES: usize = VERSION.len();

/// A client proof and its statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivacyProofOutput {
    /// The proof as Starknet takes it: the bytes of the version, and the packed proof of the circuit.
    pub proof: Vec<u8>,
    /// The felts whose hash the bootloader has put out: 1, the number of felts behind it, the hash of the task's
    /// program, and the task's output.
    pub output_preimage: Vec<Felt>,
}

/// Verifies that a proof states its preimage.
///
/// # Errors
/// [`client::RefusedError`], in a box as that crate's errors are.
pub fn verify_recursive_circuit(proof_output: &PrivacyProofOutput) -> Result<(), Box<dyn Error>> {
    let PrivacyProofOutput { proof, output_preimage } = proof_output;
    // The options of such proofs are constants, which the verifier knows.
    ClientVerifier::new(&Policy::ANY)?.verify(proof, output_preimage)?;
    Ok(())
}
