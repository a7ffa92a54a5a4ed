//! The Circle protocol: statements of stwo's kind over M31, proofs that stwo's verifier accepts.
//!
//! What [`crate`] has for the Goldilocks protocol, under the same names: [`Request`], [`prove`], [`verify_file`], [`Expect`],
//! [`Device`].

mod device;
mod expect;
mod prove;
mod request;
mod verify;

pub use device::{Device, OwningTask, Task};
pub use expect::Expect;
pub use prove::{Proven, prove};
pub use request::Request;
pub use verify::{Report, options, security, verify, verify_file};
