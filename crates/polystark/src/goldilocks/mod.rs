//! The Goldilocks protocol: the facade's types for it, and what only it has.

mod flavour;
mod measure;
mod ready;
mod request;

use crate::Goldilocks3;

pub use crate::expect::{Expect, ExpectSeed};
pub use crate::prove::prove;
pub use crate::verify::{Report, decode_file, decode_proof, security, verify_file, verify_statement};
pub use measure::Facts;
pub use ready::ReadyProver;
pub use request::Extras;
pub use verifier::Policy;

/// A backend of this protocol.
pub type Device = crate::Device<Goldilocks3>;
/// A statement to be proven.
pub type Request = crate::Request<Goldilocks3>;
/// A proof that the verifier accepted.
pub type Proven = crate::Proven<Goldilocks3>;
