//! The Circle protocol, statements of stwo's kind over M31 with proofs that stwo's verifier accepts: the facade's types for it, and
//! what only it has.

mod expect;
mod flavour;
mod measure;
mod ready;
mod request;
mod verify;

use gpu_hal::CircleStark;

pub use crate::prove::prove;
pub use circle_proof::Policy;
pub use expect::Expect;
pub use measure::Facts;
pub use ready::ReadyProver;
pub use request::Extras;
pub use verify::{Report, options, security, verify, verify_file};

/// A backend of this protocol.
pub type Device = crate::Device<CircleStark>;
/// A statement to be proven.
pub type Request = crate::Request<CircleStark>;
/// A proof that the verifier accepted.
pub type Proven = crate::Proven<CircleStark>;
