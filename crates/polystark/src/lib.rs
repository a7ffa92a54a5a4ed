//! STARK proofs whose hardware is a plug-in: the library, which is the crate `polystark-sdk`, and with the feature
//! `cli` its command line.
//!
//! ```
//! use polystark::goldilocks::{Device, Expect, Policy, Request};
//! use polystark::verify_file;
//!
//! let proven = Device::open("cpu", Some(1))?.prove(&Request::new("simple-fibonacci", 64))?;
//! let expect = Expect { air: Some("simple-fibonacci".into()), rows: Some(64), ..Expect::default() };
//! let report = verify_file(&proven.file, &Policy::default(), &expect)?;
//! assert!(report.security.provable.bits >= 100);
//! # Ok::<(), polystark::Error>(())
//! ```
//!
//! [`cli::main_with`] is the command line with the AIRs and the backends of a [`Registry`].
//!
//! # Features
//!
//! The features of `polystark-sdk`, and:
//!
//! | feature | its parts |
//! |---|---|
//! | `bench` | `polystark bench`: measurements of proofs and of operations; with it `cli` |
//! | `cli` | [`cli`], traces from files, the backend `cpu-reference`; with it both protocols and `libraries` |
//! | `farm` | a queue of jobs, workers, an HTTP service: `polystark farm`; with it `cli` |
//! | `soak` | `polystark soak`: random statements, proven on two backends; with it `cli` |
//! | `soak-cairo` | random Cairo programs for it; with it `cairo-vm` and `soak` |
//!
//! `arrow`, `bench`, `cairo-vm`, `cli`, `client-prove`, `cuda`, `farm`, `lambdaworks`, `soak` and `soak-cairo` are on
//! by default, which is the program. A library takes `default-features = false` and the protocols that it needs, at
//! least one: docs/install.md of the repository says how many crates that builds.
#![forbid(unsafe_code)]

#[cfg(feature = "cli")]
pub use polystark_cli as cli;
pub use sdk::*;

#[cfg(all(doctest, feature = "cli"))]
mod docs;
