//! The status of a job, and of a worker.

use serde::{Deserialize, Serialize};

use crate::{Digest, Job, JobName, Priority};

proof_format::named! {
    /// Where a job stands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum State {
        /// It waits for a worker, for the first time or again.
        Queued = "queued",
        /// A worker has it.
        Running = "running",
        /// Its proof is there.
        Done = "done",
        /// It has no proof and will have none: the job is at fault, or its deadline is over.
        Failed = "failed",
        /// It was tried as often as the farm tries: set aside with its last error.
        SetAside = "set-aside",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

impl State {
    /// Whether nothing more happens to the job by itself.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// All that is known of a job. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Its name.
    pub name: JobName,
    /// The job to prove.
    pub job: Job,
    /// The priority.
    pub priority: Priority,
    /// After which nobody wants it.
    pub deadline: Option<u64>,
    /// Where it stands.
    pub state: State,
    /// Bytes of a device's memory that its proof takes.
    pub bytes: u64,
    /// How often a worker has begun it.
    pub attempts: u32,
    /// The worker that has it or had it last.
    pub worker: Option<String>,
    /// The phase that its proof is in.
    pub phase: Option<String>,
    /// The share of phases that are over, from 0 to 1.
    pub share: f64,
    /// When it was submitted.
    pub submitted: u64,
    /// When the last attempt began.
    pub begun: Option<u64>,
    /// When it became final.
    pub ended: Option<u64>,
    /// Each phase of the last attempt and when it began.
    pub phases: Vec<(String, u64)>,
    /// Why it has no proof, or why the last attempt failed.
    pub error: Option<String>,
    /// The digest of its proof.
    pub proof: Option<Digest>,
    /// How many bytes the proof has.
    pub proof_bytes: Option<u64>,
    /// The output of the program that was run for the proof, its first 4096 characters.
    #[serde(default)]
    pub printed: Option<String>,
}

/// The status of a worker. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worker {
    /// Its name, of which there is one.
    pub name: String,
    /// Its device.
    pub device: String,
    /// Bytes of memory that a proof may take there.
    pub room: Option<u64>,
    /// The job that it proves.
    pub job: Option<JobName>,
    /// How many proofs it has published since it began.
    pub done: u64,
    /// How many attempts of it have failed since.
    pub failed: u64,
    /// When it began.
    pub begun: u64,
    /// When it was heard of last.
    pub seen: u64,
    /// Whether it takes no more jobs, and ends after the one that it has.
    pub draining: bool,
    /// The request that its servers do not serve, if it waits for one, and for how long already.
    #[serde(default)]
    pub waits: Option<String>,
}
