//! Options of proofs as lambdaworks' prover makes them (`docs/protocol/goldilocks.md`), and where such a proof has its
//! layers, leaves and openings. Their codec, transcript and proof object are the modules [`crate::codec`],
//! [`crate::transcript`] and [`crate::types`].

pub mod layout;
mod options;

pub use options::Options;
