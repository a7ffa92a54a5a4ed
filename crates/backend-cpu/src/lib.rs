//! STARK backends on the CPU: [`CpuReference`], plain and scalar, the yardstick of all others.

pub mod fast;
mod memory;
mod reference;

pub use memory::{CpuBuffer, CpuTree};
pub use reference::CpuReference;
