//! The encoder of Metal, on recorded commands and on a Mac.

mod commands;
mod conformance;
mod device;
mod mock;
mod proofs;
