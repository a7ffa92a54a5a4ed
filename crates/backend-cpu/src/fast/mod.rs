//! The fast backend: vector instructions chosen at run time, work shared by rayon.

pub(crate) mod arith;
mod backend;
mod circle;
mod goldilocks;
pub mod hash;
pub(crate) mod m31;
pub mod ntt;
mod ops;

pub use backend::{Cpu, CpuOptions, CpuProtocol};
