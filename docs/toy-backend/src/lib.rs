//! The toy: a backend written from scratch, in a crate outside the workspace. It is a device with memory of its own, which
//! runs every operation itself, slowly, for both protocols. `docs/add-a-backend.md` walks through it.

mod backend;
mod kernels;
mod memory;
mod program;
mod protocol;

pub use backend::Toy;
pub use memory::{Buffer, Tree};
pub use protocol::ToyProtocol;
