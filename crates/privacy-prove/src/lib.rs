//! The prover of Starknet's client proofs under the names of StarkWare's crate `privacy-prove` 1.2.2, for programs that
//! were written for that one: a `[patch]` line replaces it. The proofs have the same bytes, on any backend:
//! [`BACKEND`] names it.
#![forbid(unsafe_code)]

use std::env;
use std::error::Error;
use std::sync::Arc;

use cairo_run::pie;
use cairo_vm::vm::runners::cairo_pie::CairoPie;
use client::{ClientProof, ClientProver};
use gpu_hal::CircleStark;
pub use privacy_circuit_verify::PrivacyProofOutput;
use privacy_circuit_verify::verify_recursive_circuit;
use prover_core::Silent;
use sdk::{AnyBackend, Device};

/// The environment variable that names the backend, as `--backend` of the command line does. Where it is not set the
/// fastest one of the machine proves.
pub const BACKEND: &str = "POLYSTARK_BACKEND";

/// The parts that all proofs of a process share: the backend, the circuit and, from the first proof on, the
/// preprocessed columns on the device. Several threads may prove with it.
pub struct RecursiveProverPrecomputes {
    prover: ClientProver<AnyBackend<CircleStark>>,
}

/// Opens the backend, and builds the circuit, which takes seconds.
///
/// # Errors
/// A backend that is not there.
pub fn prepare_recursive_prover_precomputes() -> Result<Arc<RecursiveProverPrecomputes>, Box<dyn Error>> {
    let name = env::var(BACKEND).ok().filter(|name| !name.is_empty());
    let device = Device::<CircleStark>::open(name.as_deref().unwrap_or("auto"), None)?;
    Ok(Arc::new(RecursiveProverPrecomputes { prover: ClientProver::new(device.backend().clone())? }))
}

/// Runs a CairoPIE in the privacy bootloader, and makes the client proof of it, which the verifier of
/// `privacy-circuit-verify` has taken.
///
/// # Errors
/// A CairoPIE that is none, or of which there is no client proof ([`client::Error`]); too little memory, or the
/// backend's errors; a proof that the verifier refuses, which is the device's fault.
pub fn privacy_recursive_prove(
    pie: CairoPie,
    precomputes: Arc<RecursiveProverPrecomputes>,
) -> Result<PrivacyProofOutput, Box<dyn Error>> {
    let pie = Arc::new(pie::CairoPie::try_from(pie)?);
    let ClientProof { bytes, output_preimage, .. } = precomputes.prover.prove(&pie, &Silent)?;
    let output = PrivacyProofOutput { proof: bytes, output_preimage };
    verify_recursive_circuit(&output)?;
    Ok(output)
}
