//! Proofs of the compact format, as prover and verifier share them: `docs/protocol/goldilocks-compact.md`, to which all
//! section numbers in this module refer. Its rounds are those of every format, [`crate::rounds`].
//!
//! | module | what |
//! |---|---|
//! | [`Suite`] | hash functions by one name |
//! | [`options`] | parameters of a proof, which of them are allowed, their bytes |
//! | [`Sizes`] | the numbers of a statement that fix lengths, and the lengths |
//! | [`statement()`] | the bytes that the transcript starts with |
//! | `masks` | the numbers of random rows, columns and salts of a proof that hides its witness |
//! | [`opening`] | the opened positions, and openings of many leaves at once |
//! | [`types`] | the proof object |
//! | [`codec`] | its bytes, and the strict way back |
//! | [`security`] | the bits of the options, round by round |
//! | [`cheapest`](mod@cheapest) | the cheapest options that reach a number of bits |

pub mod cheapest;
pub mod codec;
mod folds;
mod lengths;
pub mod limits;
mod masks;
pub mod opening;
pub mod options;
pub mod security;
mod sizes;
mod statement;
mod suite;
mod transcript;
pub mod types;

pub use cheapest::{cheapest, shortest};
pub use codec::{decode_head, decode_openings, encode};
pub use masks::mask_key;
pub use options::Options;
pub use sizes::Sizes;
pub use statement::{AirDigest, statement};
pub use suite::Suite;
pub use types::{Head, Opening, Openings, Proof};
