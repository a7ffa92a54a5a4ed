//! Inputs of others that reach the parts for Cairo.

pub mod inputs;
pub mod machines;
pub mod proofs;
