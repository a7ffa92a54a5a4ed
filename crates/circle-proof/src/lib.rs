//! The common parts of prover and verifier of the Circle protocol, and verification under a policy.
//!
//! | module | what |
//! |---|---|
//! | [`options`] | parameters of a proof and which of them are allowed |
//! | [`security`](mod@security) | their bits, round by round: claimed, conjectured, provable, first-order |
//! | [`cheapest`](mod@cheapest) | the cheapest parameters that reach a number of bits |
//! | [`policy`] | a verifier's demands on them |
//! | [`channel`] | transcripts: mixing and drawing, by hash function |
//! | [`mod@rounds`] | the order of the transcript, in one place |
//! | [`layout`] | the facts of a proof that a statement and the options fix |
//! | [`positions`] | which positions are opened in which tree |
//! | [`mod@auxiliary`] | the auxiliary data that stwo's prover returns beside a proof, from the proof alone |
//! | [`codec`] | the bytes of a proof, and the strict way back |
//! | [`file`](mod@file) | the file that holds a statement together with its proof |
//! | [`gkr`] | the file of a batch of GKR over columns with a digest |
//! | [`stwo_verifier`] | stwo's verifier, proofs in its types, its folds: no other module names stwo |
//!
//! The last word is stwo's own verifier's. [`verify`] makes sure that it is asked the right question, about the right
//! preprocessed columns, and that no proof can make it panic.
//!
//! Section numbers refer to `docs/protocol/circle.md`.
#![forbid(unsafe_code)]

extern crate alloc;

pub mod auxiliary;
pub mod channel;
pub mod cheapest;
pub mod codec;
mod error;
pub mod file;
pub mod gkr;
pub mod layout;
pub mod options;
mod pattern;
pub mod policy;
pub mod positions;
mod preprocessed;
mod proof;
mod replay;
pub mod rounds;
pub mod security;
mod shape;
pub mod stwo_verifier;
mod suite;
mod verify;

pub use auxiliary::{Auxiliary, AuxiliaryLayer, auxiliary, wide_node};
pub use channel::Channel;
pub use cheapest::{FixedOptions, cheapest};
pub use codec::{DecodeError, decode, encode};
pub use error::{ShapeError, VerifyError, WideNode, hex};
pub use file::{PROTOCOL, ProofFile};
pub use options::{CircleOptions, OptionsError};
pub use policy::{Allowed, CAIRO_PROFILE, Policy};
pub use proof::{FriLayer, FriProof, Proof};
pub use proof_format::{PolicyError, Profile, Security, SecurityKind};
pub use replay::check;
pub use rounds::Committed;
pub use security::bound;
pub use suite::{Format, Suite};
pub use verify::{Verified, decode_for, decode_options, preprocessed_cells, rounds, security, verify};
