//! The golden proofs in `vectors/`, and the comparison of a backend's proofs with them. For tests.
#![forbid(unsafe_code)]

pub mod circle;
