//! Tests of the public interface of `goldilocks_proof`, one module for each module of the crate.

mod codec;
mod compact;
mod compact_cheapest;
mod merkle;
mod options;
mod rounds;
mod security;
mod statement;
mod transcript;
