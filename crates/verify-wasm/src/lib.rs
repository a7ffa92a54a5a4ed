//! Polystark's verifiers as a WebAssembly module without imports: the bytes of a proof file in, a verdict as JSON out.
//!
//! ```text
//! cargo build -p polystark-verify-wasm --target wasm32-unknown-unknown --profile wasm
//! ```
//!
//! makes `verify_wasm.wasm`; the functions that it exports are in [`abi`]. `www/` has a page around it: `verify.html`
//! and the worker that it verifies in. With `--no-default-features` the module knows Goldilocks alone and has no
//! standard library in it; the features `circle` and `client` add Circle, and Starknet's client proofs.
//!
//! A file may be about the AIRs that come with Polystark. One of a batch of GKR is about columns, which come with it
//! (`verify_gkr`). The policies are the default ones, except that the caller may
//! ask for another channel of Circle proofs, as `polystark verify --channel` does. Nothing is expected of the
//! statement: **the reader of the verdict must compare the statement with the expected one.** A client proof alone does
//! not say its statement, and is given with it. In Rust it is [`verify`]:
//!
//! ```
//! let refused = verify_wasm::verify(b"not a proof", "").unwrap_err();
//! assert_eq!(refused.to_string(), "the file cannot be read: byte 0: this is no Polystark file");
//! assert_eq!(refused.class(), verify_wasm::Class::Input);
//! assert_eq!(
//!     verify_wasm::json(b"not a proof", "", b""),
//!     r#"{"status":"usage","exit_code":2,"error":"the file cannot be read: byte 0: this is no Polystark file"}"#
//! );
//! ```
#![cfg_attr(all(target_family = "wasm", not(feature = "circle")), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

pub mod abi;
mod accepted;
#[cfg(all(target_family = "wasm", not(feature = "circle")))]
mod bare;
#[cfg(feature = "circle")]
mod circle;
#[cfg(feature = "circle")]
mod gkr;
mod goldilocks;
mod json;
#[cfg(all(test, feature = "circle"))]
mod lies;
mod refusal;
#[cfg(feature = "client")]
mod starknet;
mod statement;

use proof_format::policy::{MAX_BYTES, check_length};

pub use accepted::Accepted;
#[cfg(feature = "circle")]
pub use gkr::verify_gkr;
pub use json::json;
pub use refusal::{Class, Refusal};
#[cfg(feature = "client")]
pub use starknet::verify_client;

/// Verifies a file of either protocol about a shipped AIR, under the default policy. A file of Circle must be of this
/// channel, a name of `polystark verify --channel`; an empty one stands for the default. Files of Goldilocks have none.
///
/// # Errors
/// The first check that failed; its text is that of `polystark verify`.
pub fn verify(file: &[u8], channel: &str) -> Result<Accepted, Refusal> {
    check_length(file.len(), MAX_BYTES)?;
    #[cfg(feature = "circle")]
    if proof_format::file::protocol(file).is_ok_and(|name| name == circle_proof::PROTOCOL) {
        return circle::verify(file, channel);
    }
    // This decoder refuses bytes that are no file of ours, and says why.
    goldilocks::verify(file, channel)
}
