//! The common parts of prover and verifier of the Goldilocks protocol, and the file that holds a statement. The common
//! parts of all protocols are in [`proof_format`].
//!
//! | module | what |
//! |---|---|
//! | [`Suite`] | hash functions and format by one name |
//! | [`Hiding`] | whether a proof hides its witness |
//! | [`mod@format`] | all that formats decide: folds, leaves, openings |
//! | [`options`] | parameters of a proof and which of them are allowed |
//! | [`security`] | the bits of these parameters, round by round: claimed, conjectured, provable, first-order |
//! | [`cheapest`](mod@cheapest) | the cheapest parameters that reach a number of bits |
//! | [`FormatOptions`] | what formats differ in as their options say it |
//! | [`channel`] | transcripts: how they absorb and draw |
//! | [`transcript`] | that of lambdaworks |
//! | [`Draw`] | the groups of challenges |
//! | [`rounds`] | the order of all that the transcript absorbs, for prover and verifier |
//! | [`seed`] | the default transcript seed, which binds the statement |
//! | [`grinding`] | the proof of work before the queries |
//! | [`merkle`] | digests of leaves, authentication paths |
//! | [`types`] | the proof object |
//! | [`codec`] | its canonical bytes, and the strict way back |
//! | [`compact`] | all of the compact format |
//! | [`AnyOptions`] | options of every format, as files have them; [`FormatName`] names it |
//! | [`mod@file`] | the file that holds a statement together with its proof |
//!
//! Nothing here knows a backend or an AIR. Section numbers in the documentation of this crate refer to
//! `docs/protocol/goldilocks.md`, in the module [`compact`] to `docs/protocol/goldilocks-compact.md`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod any_options;
pub mod channel;
pub mod cheapest;
pub mod codec;
pub mod compact;
mod draw;
mod elements;
pub mod file;
mod file_options;
pub mod format;
mod format_options;
pub mod grinding;
mod hiding;
pub mod merkle;
pub mod options;
pub mod rounds;
pub mod security;
pub mod seed;
mod suite;
pub mod transcript;
pub mod types;

pub use any_options::FormatName;
pub use cheapest::{FixedOptions, Goal, cheapest};
pub use codec::{Counts, decode, decode_exactly, encode};
pub use draw::Draw;
pub use file::{AnyProofFile, ProofFile, ProofFileOf};
pub use file_options::{AnyOptions, FileOptions};
pub use format::{Format, Part};
pub use format_options::FormatOptions;
pub use gpu_hal::{CosetProtocol, Digest, GoldilocksStark, HashFn, Protocol};
pub use hiding::Hiding;
pub use options::{GoldilocksOptions, OptionsError};
pub use security::Shape;
pub use seed::Seed;
pub use suite::Suite;
pub use transcript::Transcript;
pub use types::{DeepOpening, FriDecommitment, OodTable, Opening, Path, Proof};
