//! The facade's types for the Goldilocks protocol.

use crate::system::Goldilocks3;

/// A backend of this protocol.
pub type Device = crate::device::Device<Goldilocks3>;
/// A statement to be proven.
pub type Request = crate::request::Request<Goldilocks3>;
/// The statement that a file must hold.
pub type Expect = crate::expect::Expect<Goldilocks3>;
/// The report on a proof.
pub type Report = crate::report::Report<Goldilocks3>;
/// A proof that the verifier accepted.
pub type Proven = crate::proven::Proven<Goldilocks3>;
/// AIRs by name.
pub type Airs = crate::airs::Airs<Goldilocks3>;
/// An AIR by name.
pub type Family = crate::airs::Family<Goldilocks3>;
/// A statement with its trace.
pub type Provable = crate::airs::Provable<Goldilocks3>;
