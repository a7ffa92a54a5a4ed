//! AIRs: recorded, written, violated, and held against golden vectors. One program: what they have in common is compiled once.

mod common;
mod composition;
mod file;
mod recorder;
mod traces;
mod vectors;
mod violations;
