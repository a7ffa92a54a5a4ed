//! Starknet's client proofs (SNIP-36): from the CairoPIE of a transaction to the bytes that its transaction prover
//! makes of it, on any backend.
//!
//! ```text
//! CairoPIE -> run in the privacy bootloader -> Cairo proof -> values of the circuit that verifies it -> its proof
//!          -> bytes
//! ```
//!
//! [`ClientProver`] goes all of that way; it keeps the data that all proofs share. [`ClientVerifier`] goes the way
//! back, to the facts that a proof states ([`facts`]). Nothing is drawn at random: the same CairoPIE gives the same
//! bytes. `docs/starknet.md` says what a proof says, and what it does not.
#![forbid(unsafe_code)]

mod bootloader;
mod circuit;
mod error;
pub mod facts;
pub mod file;
mod params;
mod plan;
mod prove;
mod run;
mod values;
mod verify;

pub use circuit::{CIRCUIT_ROOT, VerifierCircuit, circuit_columns};
pub use error::{Error, UnfitError};
pub use params::{CAIRO_OPTIONS, VARIANT};
pub use plan::ClientPlan;
pub use prove::{ClientProof, ClientProver};
pub use run::ClientRun;
pub use verify::{ClientVerifier, RefusedError, Verified};
