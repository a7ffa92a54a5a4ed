//! The common parts of the proofs of all protocols: how files begin, integers on the wire, the demands of a policy, and
//! figures of security. Nothing here knows a field, a hash function or a protocol.
//!
//! | module | what |
//! |---|---|
//! | [`file`](mod@file) | the beginning of files of all protocols |
//! | [`wire`] | integers, strings and lists in them |
//! | [`policy`] | the demands of verifiers on a proof |
//! | [`security`] | bits of security, round by round, and the demands on them |
//! | [`named!`], [`suites!`] | enums whose values have names, and suites, from one table each |
//! | [`text`] | foreign text in messages: no more than a line of it |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[doc(hidden)]
pub extern crate alloc as __alloc;

mod decode_error;
pub mod file;
mod named;
pub mod policy;
pub mod security;
pub mod text;
pub mod wire;

/// The text of a failed check that depends on the transcript. All proven values flow together there, so a changed
/// public input shows as a wrong proof of work, or as a wrong composition.
pub const OTHER_STATEMENT: &str = "the proof was changed, or it is of another statement or of other public inputs";

pub use decode_error::{DecodeError, DecodeErrorKind};
pub use policy::PolicyError;
pub use security::{Profile, Security, SecurityKind};
