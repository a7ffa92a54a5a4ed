//! The provers, written once against [`gpu_hal::StarkBackend`]: they name no backend and never see the content of a
//! column.
//!
//! | module | statements |
//! |---|---|
//! | [`goldilocks`] | of `air` over the Goldilocks field |
//! | [`circle`] | of `circle-air`, stwo's protocol |
//!
//! Each is a feature of that name; both are on by default.
//!
//! Both follow the same plan: a prover owns a backend and a statement, a plan is the peak of a rehearsal of the very
//! proof, and an [`Observer`] follows a proof and can stop it. GKR (`circle::gkr`) does so, too.
#![forbid(unsafe_code)]

mod cancellable;
#[cfg(feature = "circle")]
pub mod circle;
mod folding;
#[cfg(feature = "goldilocks")]
pub mod goldilocks;
mod grinding;
mod memory;
mod mode;
mod observer;
mod openings;
mod table;

pub use memory::{MemoryError, Need};
pub use mode::{DryRun, Mode, ModeOn, OnDevice};
pub use observer::{Cancelled, Observer, Phase, Silent};
