//! A farm of provers: NATS JetStream is the queue, the state and the store of artefacts; a worker for each device
//! proves, and verifies each proof that it publishes.
//!
//! A [`Job`] is named by the digest of all that decides its proof ([`JobName`]). A proof is deterministic, so that a
//! job that is done twice has one result, byte for byte; a second one that differs is an alarm.
//!
//! This crate does not know the statements: a [`Prover`] says how much memory a job needs, proves it and verifies the
//! proof.
#![forbid(unsafe_code)]

mod client;
mod conflict;
mod connection;
mod error;
pub mod http;
mod job;
mod job_reference;
pub mod local;
mod names;
mod options;
mod patience;
mod planning;
mod prover;
mod queue;
mod reconcile;
mod secret;
mod settings;
mod state;
mod status;
mod store;
mod submit;
mod thread;
mod watch;
mod watchdog;
mod worker;
mod workers;

pub use client::{Client, Counts};
pub use conflict::ProofConflict;
pub use error::{Error, Result};
pub use job::{Digest, Job, JobName, NotADigest, Priority, Submission};
pub use options::{Credentials, Limits, Options, Tls};
pub use patience::now;
pub use prover::{Failure, JobProof, Prover, Requirements, Step, Verify};
pub use queue::Depth;
pub use secret::{read_secret, read_token};
pub use settings::Settings;
pub use status::{State, Status, Worker};
pub use store::Artefact;
pub use worker::{Summary, WorkerOptions, run_worker};
