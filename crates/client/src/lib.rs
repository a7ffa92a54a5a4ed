//! Starknet's client proofs (SNIP-36): from the CairoPIE of a transaction to the bytes that its transaction prover
//! makes of it, on any backend.
//!
//! ```text
//! CairoPIE -> run in the privacy bootloader -> Cairo proof -> values of the circuit that verifies it -> its proof
//!          -> bytes
//! ```
//!
//! `ClientProver` goes all of that way; it keeps the data that all proofs share. [`ClientVerifier`] goes the way back,
//! to the facts that a proof states ([`facts`]). Nothing is drawn at random: the same CairoPIE gives the same bytes.
//! `docs/starknet.md` says what a proof says, and what it does not.
//!
//! All but verification is behind the feature `prove`, on by default. The verifier needs no virtual machine, and the
//! circuit's constants alone; it is compiled for WebAssembly, too.
#![forbid(unsafe_code)]

#[cfg(feature = "prove")]
mod bootloader;
#[cfg(feature = "prove")]
mod circuit;
#[cfg(feature = "prove")]
mod error;
pub mod facts;
pub mod file;
mod key;
#[cfg(feature = "prove")]
mod params;
#[cfg(feature = "prove")]
mod plan;
#[cfg(feature = "prove")]
mod prove;
#[cfg(feature = "prove")]
mod run;
#[cfg(feature = "prove")]
mod values;
mod verify;

#[cfg(feature = "prove")]
pub use circuit::VerifierCircuit;
#[cfg(feature = "prove")]
pub use error::{Error, UnfitError};
pub use key::{CIRCUIT_ROOT, circuit_columns};
#[cfg(feature = "prove")]
pub use params::{CAIRO_OPTIONS, VARIANT};
#[cfg(feature = "prove")]
pub use plan::ClientPlan;
#[cfg(feature = "prove")]
pub use prove::{ClientProof, ClientProver, visit};
#[cfg(feature = "prove")]
pub use run::ClientRun;
pub use verify::{ClientVerifier, RefusedError, Verified};
