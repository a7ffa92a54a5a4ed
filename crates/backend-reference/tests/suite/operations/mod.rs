//! The reference backend against code that is not ours (lambdaworks, Plonky3), against direct formulas, and against the
//! golden intermediates of the protocol.

mod circle;
mod common;
mod edges;
mod programs;
mod quotients;
mod rows;
mod transforms;
mod trees;
mod vectors;
