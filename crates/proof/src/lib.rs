//! What the prover and the verifier of the Goldilocks protocol share, and what a file says about a statement.
//!
//! | module | what |
//! |---|---|
//! | [`options`] | parameters of a proof and which of them are allowed |
//! | [`security`] | how many bits those parameters are worth: claimed, conjectured, provable |
//! | [`policy`] | what verifiers of all protocols ask of a proof |
//! | [`transcript`] | the Fiat-Shamir transcript |
//! | [`rounds`] | what the transcript absorbs in which order, for prover and verifier |
//! | [`seed`] | the default transcript seed, which binds the statement |
//! | [`grinding`] | the proof of work before the queries |
//! | [`merkle`] | digests of leaves and nodes, authentication paths |
//! | [`types`] | the proof object |
//! | [`codec`] | its canonical bytes, and the strict way back |
//! | [`file`](mod@file) | what files of all protocols begin with |
//! | [`wire`] | integers, strings and lists in them |
//! | [`statement`] | the file that holds a statement together with its proof |
//!
//! Nothing here knows a backend or an AIR. Section numbers in the documentation of this crate refer to
//! `docs/protocol/goldilocks.md`.
#![forbid(unsafe_code)]

pub mod codec;
pub mod file;
pub mod grinding;
pub mod merkle;
pub mod options;
pub mod policy;
pub mod rounds;
pub mod security;
pub mod seed;
pub mod statement;
pub mod transcript;
pub mod types;
pub mod wire;

pub use codec::{Counts, decode, decode_exactly, encode};
pub use gpu_hal::{CosetProtocol, Digest, GoldilocksStark, HashFn, Protocol};
pub use merkle::TreeHash;
pub use options::{OptionsError, ProofOptions};
pub use policy::PolicyError;
pub use security::{Security, SecurityKind, Shape};
pub use seed::Seed;
pub use statement::Statement;
pub use transcript::Transcript;
pub use types::{DeepOpening, FriDecommitment, OodTable, Opening, Path, Proof};
pub use wire::{DecodeError, DecodeErrorKind};
