//! A backend whose tables may be in the host's memory.

mod backend;
mod copies;
mod handles;
mod memory;
mod openings;
mod operations;
mod quotients;
mod session;
mod shapes;

pub use backend::{HostMemory, Spilled};
pub use handles::{SpilledBuffer, SpilledTree};
