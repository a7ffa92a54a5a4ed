//! The suite that any implementation of [`gpu_hal::StarkBackend`] must pass.
//!
//! One line in an integration test of the backend's crate gives one `#[test]` an operation and a few for the contract
//! as a whole (errors, recovery, memory, determinism):
//!
//! ```
//! # type MyBackend = backend_cpu::Cpu<gpu_hal::GoldilocksStark>;
//! # fn make() -> gpu_hal::Result<MyBackend> { Ok(MyBackend::new()) }
//! hal_conformance::goldilocks!(make, "cpu");
//! # fn main() {}
//! ```
//!
//! `make` is a function or closure that gives `Result<impl StarkBackend>`; the name is what its
//! [`gpu_hal::Capabilities::backend`] must say, so that the suite cannot test another backend by mistake. The backend
//! to compare with is [`backend_reference::CpuReference`] unless another is given:
//! `goldilocks!(make, "mine", reference = make_reference)`. [`circle!`] is the same for the Circle protocol. To test
//! several backends in one file put each into a module of its own.
//!
//! Every test draws shapes and data by proptest, always with the smallest and the largest shape among them, runs the
//! operation on both backends ([`gpu_hal::decorate::Dual`]) and compares element by element. Operations that the
//! backend does not list in its capabilities must return [`gpu_hal::ErrorKind::Unsupported`].
//!
//! | environment variable | meaning |
//! |---|---|
//! | `POLYSTARK_CONFORMANCE_CASES` | random cases a test; if not set 24 where `POLYSTARK_SLOW` is 1, else 8 |
//! | `POLYSTARK_CONFORMANCE_SEED` | seed of the random cases (a failure prints its seed); random if not set |
//! | `POLYSTARK_REQUIRE_BACKEND` | comma-separated names of backends that must not be skipped where there is no device |
#![forbid(unsafe_code)]

mod calls;
mod cases;
mod device;
mod failure;
mod finders;
mod left_out;
mod macros;
mod program;
mod protocol;
mod random;
mod random_rows;
mod row_program;
mod run;
mod slow;
mod suite;

pub mod tests;

pub use calls::{Session, session};
pub use cases::{Case, Single};
pub use device::require_or_skip;
pub use failure::Failure;
#[doc(hidden)]
pub use gpu_hal::__operations;
pub use left_out::{left_out, left_out_without_backend};
pub use program::{random_combination, random_program, tree_programs};
pub use protocol::TestProtocol;
pub use random::Random;
pub use random_rows::random_rows;
pub use row_program::{HostTable, RowCase, RowResult};
pub use run::{is_of_protocol, run, run_with_reference};
pub use slow::slow_or_skip;
pub use suite::Suite;
