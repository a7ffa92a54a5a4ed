//! Proofs of the compact format, as prover and verifier share them: `docs/protocol/goldilocks-compact.md`, to which all
//! section numbers in this module refer.
//!
//! | module | what |
//! |---|---|
//! | [`Suite`] | hash functions and hiding by one name |
//! | [`options`] | parameters of a proof, which of them are allowed, their bytes |
//! | [`Draw`] | the groups of challenges, each with the work before it |
//! | [`Sizes`] | the numbers of a statement that fix lengths, and the lengths |
//! | [`rounds`] | the order of all that the transcript absorbs, for prover and verifier |
//! | [`opening`] | the opened positions, and openings of many leaves at once |
//! | [`types`] | the proof object |
//! | [`codec`] | its bytes, and the strict way back |
//! | [`security`] | the bits of the options, round by round |
//! | [`cheapest`](mod@cheapest) | the cheapest options that reach a number of bits |

pub mod cheapest;
pub mod codec;
mod draw;
mod folds;
mod lengths;
pub mod limits;
pub mod opening;
pub mod options;
pub mod rounds;
pub mod security;
mod sizes;
mod suite;
mod transcript;
pub mod types;

pub use cheapest::cheapest;
pub use codec::{decode_head, decode_openings, encode};
pub use draw::Draw;
pub use options::Options;
pub use rounds::AirDigest;
pub use sizes::Sizes;
pub use suite::Suite;
pub use types::{Head, Opening, Openings, Proof};
