//! AIRs: recorded, written, violated, and held against golden vectors. One program: common code is compiled once.

mod common;
mod composition;
mod file;
mod free_rows;
mod recorder;
mod traces;
mod vectors;
mod violations;
