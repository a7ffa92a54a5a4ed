//! The common parts of prover and verifier of the Goldilocks protocol, and the file that holds a statement. The common
//! parts of all protocols are in [`proof_format`].
//!
//! | module | what |
//! |---|---|
//! | [`Format`] | the two formats by their names |
//! | [`AnyOptions`] | options of every format, as files have them |
//! | [`lambdaworks`] | options of the one format, and where its proofs have layers, leaves and openings |
//! | [`Suite`] | its hash functions by one name |
//! | [`Hiding`] | whether a proof hides its witness |
//! | [`options`] | why parameters of a proof are refused |
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
mod format;
mod format_options;
pub mod grinding;
mod hiding;
pub mod lambdaworks;
pub mod merkle;
pub mod options;
mod part;
pub mod rounds;
pub mod security;
pub mod seed;
mod suite;
pub mod transcript;
pub mod types;

pub use any_options::AnyOptions;
pub use cheapest::{FixedOptions, Goal, cheapest};
pub use codec::{Counts, decode, decode_exactly, encode};
pub use draw::Draw;
pub use file::{AnyProofFile, ProofFile, ProofFileOf};
pub use file_options::FileOptions;
pub use format::Format;
pub use format_options::FormatOptions;
pub use gpu_hal::{CosetProtocol, Digest, GoldilocksStark, HashFn, Protocol};
pub use hiding::Hiding;
pub use options::OptionsError;
pub use part::Part;
pub use security::Shape;
pub use seed::Seed;
pub use suite::Suite;
pub use transcript::Transcript;
pub use types::{DeepOpening, FriDecommitment, OodTable, Opening, Path, Proof};
