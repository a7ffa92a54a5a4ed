//! STARK backends on the CPU: [`Cpu`], the fast one, and [`CpuReference`], plain and scalar, the yardstick of all others.

pub mod fast;
mod memory;
mod reference;

pub use fast::{Cpu, CpuOptions, CpuProtocol};
pub use memory::{CpuBuffer, CpuTree};
pub use reference::CpuReference;
