//! The fast STARK backend of the CPU.

pub mod fast;
mod memory;
mod plain;

pub use fast::{Cpu, CpuOptions, CpuProtocol};
pub use memory::{CpuBuffer, CpuTree};
