//! The facade's types for the Circle protocol.

use gpu_hal::CircleStark;

/// A backend of this protocol.
pub type Device = crate::device::Device<CircleStark>;
/// A statement to be proven.
pub type Request = crate::request::Request<CircleStark>;
/// The statement that a file must hold.
pub type Expect = crate::expect::Expect<CircleStark>;
/// The report on a proof.
pub type Report = crate::report::Report<CircleStark>;
/// A proof that the verifier accepted.
pub type Proven = crate::proven::Proven<CircleStark>;
/// AIRs by name.
pub type Airs = crate::airs::Airs<CircleStark>;
/// An AIR by name.
pub type Family = crate::airs::Family<CircleStark>;
/// A statement with its trace.
pub type Provable = crate::airs::Provable<CircleStark>;
