//! AIRs of Circle: recorded, violated, refused, and held against stwo and golden vectors.

mod agreement;
mod common;
mod constraints;
mod hashes;
mod refused;
mod traces;
mod vectors;
