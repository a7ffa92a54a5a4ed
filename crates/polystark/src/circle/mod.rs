//! The Circle protocol, statements of stwo's kind over M31 with proofs that stwo's verifier accepts: the facade's types for it, and
//! what only it has.

mod airs;
mod expect;
mod flavour;
mod measure;
mod ready;
mod request;
mod types;
mod verify;

pub use circle_proof::{Given, Policy};
pub use expect::ExpectOptions;
pub use measure::OptionsView;
pub use ready::ReadyProver;
pub use request::Extras;
pub use types::{Airs, Device, Expect, Family, Provable, Proven, Report, Request};
pub use verify::decode_proof;
