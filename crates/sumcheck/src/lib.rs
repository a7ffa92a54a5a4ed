//! Sum-checks, and GKR for lookups by them.
//!
//! A sum-check convinces a verifier of a sum of a polynomial over all corners of a hypercube, and leaves it one value
//! of the polynomial to check. [`gkr`] goes up a binary tree of products or of fractions by them, a sum-check for each
//! layer, and leaves claims on the columns below the tree. Proofs and transcript over `QM31` are those of stwo 2.3.0.
//!
//! | item | what |
//! |---|---|
//! | [`Channel`] | the transcript, as this crate needs it |
//! | [`Univariate`] | polynomials of one variable: the messages of a sum-check |
//! | [`multilinear`] | tables on a hypercube, `eq` |
//! | [`prove`], [`verify`] | one sum-check of one or several polynomials |
//! | [`gkr`] | batches of grand products and sums of fractions |
//!
//! The text of the protocol is `docs/protocol/gkr.md`, which the numbers of sections refer to. Nothing here needs the
//! standard library. Everything is generic in the field.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod channel;
pub mod gkr;
pub mod multilinear;
mod protocol;
mod univariate;

pub use channel::Channel;
pub use protocol::{MAX_DEGREE, MAX_VARIABLES, Polynomial, ProveError, SumcheckProof, VerifyError, prove, verify};
pub use univariate::Univariate;
