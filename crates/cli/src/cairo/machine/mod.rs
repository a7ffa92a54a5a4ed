//! Subcommands that run programs, which takes the machine.

mod batch;
mod batch_progress;
pub(crate) mod execution;
mod list;
pub(crate) mod options;
pub(crate) mod program;
mod proof;
pub(super) mod prove;
pub(super) mod run;
mod task;
mod tasks;
mod views;
pub(crate) mod with_bytes;
