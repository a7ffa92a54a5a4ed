//! A backend in a shared library of its own. A program loads it when it runs, so neither is compiled for the other.
//!
//! The author has a crate of the type `cdylib` with one line:
//!
//! ```
//! # mod author {
//! use backend_library::OpenOptions;
//! use backend_reference::{CpuReference, ReferenceProtocol};
//! use gpu_hal::Result;
//!
//! fn open<P: ReferenceProtocol>(_: &OpenOptions) -> Result<CpuReference<P>> {
//!     Ok(CpuReference::new())
//! }
//!
//! backend_library::export!(goldilocks: open, circle: open);
//! # }
//! ```
//!
//! [`export!`] adds two symbols. The first is a C string that names the program that the library is built for: the
//! number of the contract, the version of `gpu-hal`, a hash of its sources and of the sources of `ir` and `field`, a
//! hash of the layout of types, the compiler and the target. [`Library::load`] compares each of them with the
//! program's. If one differs, nothing else of the library is touched, and the error names it. The second symbol gives
//! the functions that open devices. Everything behind it has Rust's types, which are equal on both sides by then.
//!
//! Program and library have a standard library each. So:
//!
//! * **Memory.** The library allocates by the program's allocator, so each side may free the other's boxes.
//! * **Panics.** A panic in an operation, or where a device is opened, is an error of the kind
//!   [`gpu_hal::ErrorKind::Backend`] that names the operation. A panic elsewhere (`memory`, `footprint`, `clock`,
//!   `placement`, dropping a table) ends the process, and so does a panic of the program in a function that the library
//!   calls, such as the one of `upload_made`.
//! * **Stopping.** An operation runs under the flag of the program's thread: [`gpu_hal::CancelToken::here`] works in
//!   the library as elsewhere.
//! * **Logs.** The library's own `tracing` events do not reach the program. A budget that the library takes by
//!   [`gpu_hal::Budget::of_device`] is its own: it does not know the promises of the program's own backends.
//!
//! A device is a value like any other: several of a library may be one `Sharded`, and their tables may leave for the
//! host's memory (`Spilled`). Moves of tables and trees ([`gpu_hal::PlacementOperations`]) are operations of the
//! library, except `lde_shared`: in its place each device computes its own extension.
//!
//! A library stays loaded until the process ends. It is **trusted code**: loading it runs it, with all rights of the
//! program. It cannot make a false proof that a verifier accepts, because proofs from it are verified as all others
//! are.

mod allocator;
mod contained;
mod contract;
mod error;
mod export;
mod load;
mod note;

pub use contract::{Exports, OpenOptions};
pub use error::{Difference, LoadError};
pub use load::Library;

/// For [`export!`] alone.
#[doc(hidden)]
pub mod __export {
    pub use gpu_hal::{CircleStark, GoldilocksStark};

    pub use crate::allocator::{HostAllocator, enter};
    pub use crate::contained::{contained, names};
    pub use crate::contract::Host;
    pub use crate::note::{NOTE, Note};
}
