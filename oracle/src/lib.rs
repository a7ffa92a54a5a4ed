//! Our proofs next to the proofs of stwo's own prover.
//!
//! [`reference`] proves a statement with stwo's `SimdBackend`; [`statement`] draws statements and options at random;
//! [`compare`] says where two proofs first differ. The program `differential` puts them together, `ratio` measures both
//! provers, `gkr` compares batches of GKR.
#![forbid(unsafe_code)]

pub mod compare;
pub mod plonk;
pub mod reference;
pub mod statement;
