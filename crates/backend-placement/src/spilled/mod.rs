//! A backend whose tables may be in the host's memory.

mod backend;
mod copies;
mod held;
mod openings;
mod operations;
mod room;
mod session;
mod shapes;

pub use backend::{HostMemory, Spilled};
pub use held::{SpilledBuffer, SpilledTree};
