//! The Goldilocks protocol: the library's types for it, and its own features.

mod airs;
mod check;
mod error;
mod expect;
mod request;
mod system;
#[cfg(test)]
mod tests;
mod types;
mod verify;

pub(crate) use airs::shipped_airs;
pub use error::GoldilocksError;
pub use expect::{ExpectOptions, ExpectSeed};
pub use goldilocks_proof::{AnyOptions, FixedOptions, Format, Goal, compact, lambdaworks};
pub use goldilocks_verifier::{Key, KeyMismatch, Policy};
pub use request::{Extras, Masks};
pub use types::{AirInstance, Airs, Device, Expect, Family, Proven, Report, Request};
pub use verify::{Contents, decode_proof, key};
