//! The inputs of `vectors/faults`: each once had the wrong outcome, and has the right one here.

mod airs;
mod commands;
mod defaults;
mod farm;
mod files;
mod interrupts;
mod library;
pub(super) mod names;
mod runs;
mod words;
