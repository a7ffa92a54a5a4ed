//! The interface of provers.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bytes::Bytes;

use crate::Job;

/// The needs of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirements {
    /// Bytes of a device's memory, as the plan says.
    pub bytes: u64,
}

/// Where a proof is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The phase that begins, or lasts.
    pub phase: &'static str,
    /// How much of the phases is done, from 0 to 1: their number, not their time.
    pub share: f64,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The job is at fault: no other attempt would end otherwise.
    #[error("{0}")]
    Job(String),
    /// The worker or its device is at fault: another attempt may succeed.
    #[error("{0}")]
    Worker(String),
    /// The worker or its device has too little memory for it: with less kept there it may have it, or another attempt.
    #[error("{0}")]
    Memory(String),
    /// The follower wished to stop.
    #[error("stopped")]
    Stopped,
    /// It takes more than the farm gives to a job, and no worker would do better: the job is set aside.
    #[error("{0}")]
    Costly(String),
}

/// A proof that was made.
pub struct JobProof {
    /// Its bytes.
    pub proof: Vec<u8>,
    /// Says whether bytes are a proof of the job: nothing is published that it refuses. It has the prover's knowledge,
    /// its own verdict on the proof or the run of a program, so that nothing is verified or run twice.
    pub verify: Verify,
    /// The output of the program that was run for it. No part of the proof.
    pub printed: Option<String>,
}

/// See [`JobProof::verify`]. The error says why they are not.
pub type Verify = Box<dyn FnOnce(&[u8]) -> Result<(), String> + Send>;

/// A prover of jobs on one device. Its methods take as long as they take: a worker calls them on a thread of their own.
pub trait Prover: Send + Sync + 'static {
    /// The device's name, for people: `cpu`, `cuda:0 NVIDIA H200`.
    fn device(&self) -> String;

    /// Bytes of memory that a proof may take on it, `None` if unknown.
    fn room(&self) -> Option<u64>;

    /// Whether a job without inputs takes seconds to be planned, judged by its words, which the submitter may have
    /// written freely. Such jobs are planned beside the others. It is asked for every job and first of all, so it must
    /// be quick.
    fn is_costly(&self, _job: &Job) -> bool {
        false
    }

    /// The same job in its one normal form: defaults written out, numbers in decimal digits. No input is read.
    ///
    /// # Errors
    /// The reason why it is no job, for its submitter.
    fn normal(&self, job: &Job) -> Result<Job, String>;

    /// The needs of a job in normal form. `inputs` are the job's, by their roles.
    ///
    /// # Errors
    /// The reason why it cannot be proven, for its submitter.
    fn needs(&self, job: &Job, inputs: &BTreeMap<String, Bytes>) -> Result<Requirements, String>;

    /// The proof of a job in normal form; the same bytes whenever and wherever it is made. `follow` is told each phase
    /// as it begins, and again and again while it lasts, and says whether to go on: a prover that does not ask it for
    /// seconds cannot be cancelled meanwhile.
    ///
    /// # Errors
    /// Why there is none.
    fn prove(
        &self,
        job: &Job,
        inputs: &BTreeMap<String, Bytes>,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<JobProof, Failure>;
}
