//! STARK proofs whose hardware is a plug-in: the facade over the crates of Polystark, and what its command line is made of.
//!
//! A statement is an AIR: columns and the constraints that they satisfy. [`prove()`] proves one that is known by name on any backend
//! and checks the proof with the verifier before it hands it out; [`verify_file`] checks a proof against the statement that comes with
//! it, without any device. Both are generic over the protocol; [`goldilocks`] and [`circle`] name the types of one.
//!
//! ```
//! use polystark::goldilocks::{Device, Expect, Policy, Request};
//! use polystark::verify_file;
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
//! assert!(report.security.provable.bits >= 100);
//!
//! // A changed byte is not a proof.
//! let mut changed = bytes.clone();
//! *changed.last_mut().ok_or("empty")? ^= 1;
//! assert!(verify_file(&changed, &Policy::default(), &expect).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An AIR of one's own is proven by `Device::prove_air` of the protocol. Where it has a name, as a [`Family`] in [`Airs`], requests and
//! files are about it, too. For another device implement [`hal::StarkBackend`], and a [`Driver`] that opens it. [`cli::main_with`] is the
//! command line with the AIRs and the backends of a [`Registry`].
//!
//! | name | crate |
//! |---|---|
//! | [`field`] | scalars |
//! | [`hal`] | the contract between prover and hardware |
//! | [`air`] | statements as data, example AIRs |
//! | [`circle_air`], [`circle_proof`] | the same for the Circle protocol: stwo's components; options, encoding, verification |
//! | `cairo`, with the feature of that name, which is on by default | programs of the Cairo virtual machine, as stwo-cairo proves them |
//! | [`proof`] | options, security estimate, transcript, encoding, the statement file |
//! | [`proof_format`] | what files of both protocols begin with, what a policy asks, figures of security |
//! | [`trace_file`] | traces from `.npy` and Arrow files |
//! | [`prover`] | the prover |
//! | [`verifier`] | the verifier |
//! | [`backend_cpu`], [`backend_reference`] | the backends that run on the host's processor |
#![forbid(unsafe_code)]

pub use air;
pub use backend_cpu;
pub use backend_reference;
#[cfg(feature = "cairo")]
pub use cairo;
pub use circle_air;
pub use circle_proof;
pub use field;
pub use gpu_hal as hal;
pub use proof;
pub use proof_format;
pub use prover_core as prover;
pub use trace_file;
pub use verifier;

mod airs;
pub mod circle;
pub mod cli;
mod device;
#[cfg(doctest)]
mod docs;
mod engine;
mod error;
mod expect;
mod flavour;
pub mod goldilocks;
mod kernels;
mod measure;
mod memory;
#[cfg(feature = "cairo")]
mod programs;
mod prove;
mod proven;
mod registry;
mod report;
mod request;
mod stage;
mod types;
mod verify;
mod views;

pub use ::air::airs::ParamDefault;
pub use ::circle_air::airs::ParamKind;
pub use airs::{Airs, Family, MAX_AIR_FILE, Param, Parameters, Provable, StatementError, air_file_name};
pub use device::Device;
pub use error::{Class, Error};
pub use expect::{Expect, Mismatch};
pub use flavour::{Flavour, Footprint, Ready};
pub use kernels::KernelList;
pub use memory::host_memory;
#[cfg(feature = "cairo")]
pub use programs::{CAIRO_OPTIONS, CairoError, CairoFlow, CairoJob, CairoProven, CairoRequest, Programs};
pub use proof::{HashFn, ProofOptions, Statement};
pub use proof_format::{PolicyError, Profile, SecurityKind};
pub use prove::prove;
pub use proven::Proven;
pub use registry::{Availability, Driven, Driver, Place, Registry};
pub use report::{Report, Stated};
pub use request::{Request, TraceSource};
pub use stage::{Follow, Stage};
pub use types::{FlavourTypes, Goldilocks3};
pub use verify::verify_file;
pub use views::Facts;
