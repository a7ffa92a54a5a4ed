//! STARK proofs whose hardware is a plug-in: the facade over the crates of Polystark, and what its command line is made of.
//!
//! A statement is an AIR: columns and the constraints that they satisfy. [`prove_air`] proves one of the example AIRs on any
//! backend and checks the proof with the verifier before it hands it out; [`verify_file`] checks a proof against the
//! statement that comes with it, without any device.
//!
//! ```
//! use polystark::{Device, Expect, Policy, Request, prove_air, verify_file};
//!
//! // The Fibonacci sequence in 64 rows, with default options, on the processor.
//! let request = Request::new("simple-fibonacci", 64);
//! let device = Device::open("cpu", Some(1))?;
//! let proven = device.prove(&request)?;
//! assert_eq!(proven.report.public_inputs()[0].to_string(), "1");
//!
//! // What travels: the statement and its proof. Whoever receives it says what it must be about.
//! let bytes = proven.file;
//! let expect = Expect { air: Some("simple-fibonacci".into()), rows: Some(64), ..Expect::default() };
//! let report = verify_file(&bytes, &Policy::default(), &expect)?;
//! assert!(report.security.conjectured.bits >= 96);
//!
//! // A changed byte is not a proof.
//! let mut changed = bytes.clone();
//! *changed.last_mut().ok_or("empty")? ^= 1;
//! assert!(verify_file(&changed, &Policy::default(), &expect).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For an AIR of one's own take the parts: [`air::record`], [`prover::Prover`], [`verifier`]. For another device implement
//! [`hal::StarkBackend`].
//!
//! | name | crate |
//! |---|---|
//! | [`field`] | scalars |
//! | [`hal`] | the contract between prover and hardware |
//! | [`air`] | statements as data, example AIRs |
//! | [`circle_air`], [`circle_proof`] | the same for the Circle protocol: stwo's components; options, encoding, verification |
//! | [`circle`] | this crate's functions for the Circle protocol |
//! | [`proof`] | options, security estimate, transcript, encoding, the statement file |
//! | [`prover`] | the prover |
//! | [`verifier`] | the verifier |
//! | [`backend_cpu`], [`backend_reference`] | the backends that run on the host's processor |
#![forbid(unsafe_code)]

pub use air;
pub use backend_cpu;
pub use backend_reference;
pub use circle_air;
pub use circle_proof;
pub use field;
pub use gpu_hal as hal;
pub use proof;
pub use prover_core as prover;
pub use verifier;

pub mod circle;
mod device;
#[cfg(doctest)]
mod docs;
mod error;
mod expect;
mod memory;
mod prove;
mod request;
mod verify;

pub use device::{Availability, BACKENDS, Device, OwningTask, Task, available_memory, backends, missing_memory};
pub use error::{Class, Error};
pub use expect::{Expect, ExpectSeed, Mismatch};
pub use proof::{HashFn, PolicyError, ProofOptions, SecurityKind, Statement};
pub use prove::{Proven, Stage, prove_air, prove_air_with};
pub use request::{Request, TraceSource};
pub use verifier::Policy;
pub use verify::{Report, decode_file, decode_proof, security, verify_file, verify_statement};

/// The protocol of the command line: Goldilocks with challenges in its cubic extension.
pub type Goldilocks3 = hal::GoldilocksStark;
