//! The reference backend: every operation by its definition, scalar, on one thread. It judges the other backends, so
//! each function is the formula of the contract and nothing else (only the transforms are O(n log n)), and it shares no
//! code with any of them. Hash functions come from [`gpu_hal::hash`], which verifiers run and other backends do not.
#![forbid(unsafe_code)]

mod backend;
mod circle;
mod constraints;
mod goldilocks;
mod memory;
mod merkle;
mod protocol;
mod quotient;
mod reference;
mod row_programs;
mod rows;
mod sumchecks;
mod table;
mod transform;

pub use memory::{ReferenceBuffer, ReferenceTree};
pub use protocol::ReferenceProtocol;
pub use reference::CpuReference;
