//! Measures a backend: whole proofs by phase and operation ([`proof`](mod@proof)), and single operations ([`ops`]),
//! each next to its *floor*, the least time in which the device could do it. The formulas of the floors are in
//! docs/benchmarks.md.
//!
//! Nothing here knows how a statement is asked for or how a backend is opened: a statement to be measured is a
//! [`Subject`], and a backend says itself whether its device has a clock ([`gpu_hal::DeviceClock`]).
#![forbid(unsafe_code)]

pub mod circle;
mod clock;
mod copy;
mod error;
mod floor;
pub mod gkr;
pub mod goldilocks;
mod inputs;
mod measurable;
mod measure;
pub mod ops;
mod prepared;
mod programs;
pub mod proof;
mod provenance;
mod report;
mod shapes;
mod subject;
mod sumchecks;
mod svg;
mod sweep;
mod table;
mod text;
mod time;
#[cfg(test)]
mod work;

pub use error::Error;
pub use measurable::Measurable;
pub use measure::{Following, MeasureArguments, Measuring};
pub use subject::{First, Prove, Ready, Subject};
pub use sweep::{Sweep, SweepError};

/// Goldilocks with challenges in its cubic extension.
type Goldilocks3 = gpu_hal::GoldilocksStark;
