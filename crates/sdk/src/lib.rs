//! Polystark as a library: STARK proofs whose hardware is a plug-in. The crate `polystark` is this one, and the command
//! line.
//!
//! A statement says what a proof proves: that a trace satisfies an AIR, which is columns and their constraints, that a
//! Cairo program ran, or the claim of a client proof. [`Device::prove`] proves an AIR that is known by name on any
//! backend and checks the proof with the verifier before it hands it out; [`verify_file`] checks a proof against the
//! statement that comes with it, without any device. Both are generic over the protocol; [`goldilocks`] and
//! [`circle`] name the types of one.
//!
//! ```
//! # use polystark_sdk as polystark;
//! use polystark::goldilocks::{Device, Expect, Policy, Request};
//! use polystark::verify_file;
//!
//! // The Fibonacci sequence in 64 rows, with default options, on the processor.
//! let request = Request::new("simple-fibonacci", 64);
//! let device = Device::open("cpu", Some(1))?;
//! let proven = device.prove(&request)?;
//! assert_eq!(proven.report.public_inputs()[0].to_string(), "1");
//!
//! // The file has the statement and its proof. Its receiver says which statement it expects.
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
//! An AIR of one's own is proven by `Device::prove_air` of the protocol. Where it has a name, as a [`Family`] in
//! [`Airs`], requests and files are about it, too. For another device implement [`hal::Operations`], and a [`Driver`]
//! that opens it. A new kind of statement, beside AIRs and Cairo programs, implements [`Statement`].
//!
//! # Features
//!
//! | feature | its parts |
//! |---|---|
//! | `circle` | the Circle protocol: [`circle`] |
//! | `goldilocks` | the Goldilocks protocol: [`goldilocks`] |
//! | `cuda` | the backend `cuda`, NVIDIA's GPUs; `KernelList` with both protocols |
//! | `p3` | AIRs of Plonky3, as `p3`; for the protocols that are on |
//! | `cairo` | runs of Cairo programs: `cairo`, and `CairoRequest` as a kind of statement; with it `circle` |
//! | `cairo-vm` | Cairo programs are run here, by our machine, and by cairo-vm where ours lacks a hint: `cairo_run::load`; with it `cairo` |
//! | `python-hints` | hints of programs' own are run as Python, on Linux: `cairo_run::OwnHints`; with it `cairo-vm` |
//! | `client` | Starknet's client proofs, verified: `client`; with it `circle` |
//! | `client-prove` | the same, made: `ClientRequest` as a kind of statement; with it `cairo-vm` and `client` |
//! | `lambdaworks` | lambdaworks' traits for the scalars of [`field`] |
//! | `libraries` | backends in shared libraries: a path in place of the name of a backend |
//! | `reference` | the backend `cpu-reference` |
//! | `trace-file` | traces from `.npy` files: `Family::with_trace_file` |
//! | `arrow` | traces from Arrow files, too; with it `trace-file` |
//!
//! Both protocols are on by default. At least one is needed.
//!
//! | name | crate |
//! |---|---|
//! | [`field`] | scalars |
//! | [`hal`] | the contract between prover and hardware |
//! | [`air`] | statements as data, example AIRs |
//! | [`circle_air`], [`circle_proof`] | the same for the Circle protocol: stwo's components; options, encoding, verification |
//! | `cairo_run` | runs of Cairo programs, and the machine that makes them |
//! | `cairo` | proofs of such runs, as stwo-cairo makes them |
//! | `client` | client proofs, as Starknet's transaction prover makes them |
//! | [`goldilocks_proof`], [`goldilocks_verifier`] | Goldilocks: options, transcript, encoding, the file with a proof; its verifier |
//! | [`proof_format`] | the beginning of files of both protocols, a policy's demands, figures of security |
//! | [`prover`] | the provers |
//! | `p3` | AIRs of Plonky3 |
//! | [`backend_cpu`] | the backend that runs on the host's processor |
//! | [`backend_placement`] | several devices as one; one that moves tables to the host's memory |
#![forbid(unsafe_code)]

pub use air;
pub use backend_cpu;
pub use backend_placement;
#[cfg(feature = "reference")]
pub use backend_reference;
pub use field;
pub use gpu_hal as hal;
#[cfg(feature = "p3")]
pub use polystark_p3 as p3;
pub use proof_format;
pub use prover_core as prover;
#[cfg(feature = "trace-file")]
pub use trace_file;
#[cfg(feature = "circle")]
pub use {circle_air, circle_proof};
#[cfg(feature = "goldilocks")]
pub use {goldilocks_proof, goldilocks_verifier};

#[cfg(not(any(feature = "circle", feature = "goldilocks")))]
compile_error!("polystark has no protocol: turn on its feature `circle` or `goldilocks`, or both");

mod airs;
mod batch;
#[cfg(feature = "circle")]
pub mod circle;
#[cfg(feature = "client")]
mod client_proof;
mod devices;
mod error;
#[cfg(feature = "goldilocks")]
pub mod goldilocks;
mod registry;
#[cfg(feature = "cairo")]
mod runs;
mod shipped_airs;
mod similar;
mod stage;
mod statements;
mod system;
mod type_map;
mod types;
mod verification;

pub use ::air::airs::{ParamDefault, ParamKind};
pub use airs::{AirInstance, Airs, Family, MAX_AIR_FILE, Param, Parameters, air_file_name};
pub use batch::{Flow, Job, Loading, load_beside};
#[cfg(any(feature = "cairo", feature = "client"))]
pub use cairo_run;
#[cfg(feature = "client-prove")]
pub use client_proof::{ClientProven, ClientRequest, ReadyClient};
pub use devices::backend::{AnyBackend, OpenBackend};
pub use devices::device::Device;
pub use devices::driver::{DeviceOptions, Driver};
#[cfg(feature = "libraries")]
pub use devices::drivers::LibraryError;
#[cfg(all(feature = "circle", feature = "cuda", feature = "goldilocks"))]
pub use devices::kernels::KernelList;
pub use error::{BoxedKindError, Class, Error, KindError};
pub use proof_format::{PolicyError, Profile, SecurityKind};
pub use registry::{Availability, Registry};
pub use stage::{Follow, Stage};
pub use statements::air_statement::{AirStatement, MainTrace, ReadyAir};
pub use statements::statement::{Ready, Statement};
pub use statements::statement_error::StatementError;
pub use system::{AirFacts, FileContents, MemoryPlan, Prepared, ProofSystem, Request, TraceSource};
pub use verification::expect::Expect;
pub use verification::mismatch::Mismatch;
pub use verification::report::{Proven, Report};
pub use verification::verify::verify_file;
#[cfg(feature = "cairo")]
pub use {
    cairo,
    runs::{CAIRO_OPTIONS, CairoAhead, CairoError, CairoProven, CairoRequest, ReadyRun},
};
#[cfg(feature = "client")]
pub use {client, client_proof::ClientError};

/// Helpers that programs around this library share with it.
pub mod support {
    pub use crate::devices::memory::host_memory;
    pub use crate::similar::nearest;
    pub use crate::type_map::TypeMap;
}

/// Goldilocks with challenges in its cubic extension.
pub type Goldilocks3 = gpu_hal::GoldilocksStark;
