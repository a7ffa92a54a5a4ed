//! What the proofs of all protocols have in common: how files begin, integers on the wire, what a policy asks, and figures of
//! security. Nothing here knows a field, a hash function or a protocol.
//!
//! | module | what |
//! |---|---|
//! | [`file`](mod@file) | what files of all protocols begin with |
//! | [`wire`] | integers, strings and lists in them |
//! | [`policy`] | what verifiers ask of a proof |
//! | [`security`] | bits of security, round by round, and what is asked of them |
//! | [`text`] | text of others in messages: no more than a line of it |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod file;
pub mod policy;
pub mod security;
pub mod text;
pub mod wire;

/// What a check that depends on the transcript says when it fails: there all that was proven flows together, so that a changed public
/// input shows as a proof of work, or as a composition, that is wrong.
pub const OTHER_STATEMENT: &str = "the proof was changed, or it is of another statement or of other public inputs";

pub use policy::PolicyError;
pub use security::{Profile, Security, SecurityKind};
pub use wire::{DecodeError, DecodeErrorKind};
