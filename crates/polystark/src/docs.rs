//! README's code as a documentation test. Compiled for `cargo test --doc` only.
#![doc = include_str!("../README.md")]
