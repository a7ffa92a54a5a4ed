//! What reaches the parts for Cairo from others.

pub mod inputs;
pub mod proofs;
