//! Errors of a farm.

use proof_format::text::excerpt;

use crate::{JobName, State};

/// A result of the farm.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a farm.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The servers did not answer, or refused.
    #[error("the farm's servers: {what}: {detail}; are they up, and is `--server` right?")]
    Server {
        /// The request.
        what: &'static str,
        /// Their answer.
        detail: String,
    },
    /// No server was there to connect to.
    #[error(
        "no server of the farm answers at {servers} ({detail}): is it up, and is `--server` right? `polystark farm local` starts one here"
    )]
    Away {
        /// Where they were looked for.
        servers: String,
        /// The result of the last attempt.
        detail: String,
    },
    /// The servers will not take it, however often they are asked.
    #[error("the farm's servers never take this: {what}: {detail}")]
    Never {
        /// The request.
        what: &'static str,
        /// Their answer.
        detail: String,
    },
    /// No job has this name.
    #[error("there is no job {0}: was it submitted to this farm, or is its retention over?")]
    Unknown(JobName),
    /// Text by which no job is called.
    #[error("`{}` is no job's name, nor {least} or more of the digits that it begins with", excerpt(text))]
    NoName {
        /// The text.
        text: String,
        /// Digits that are enough.
        least: usize,
    },
    /// No job's name begins so.
    #[error("no job's name begins with {}: `farm list` shows them", excerpt(_0))]
    Nobody(String),
    /// The names of several jobs begin so.
    #[error("several jobs' names begin with {}: {names}", excerpt(text))]
    Several {
        /// The beginning of their names.
        text: String,
        /// The names, or the first ones.
        names: String,
    },
    /// The job is in a state in which this cannot be done.
    #[error("job {name} is {state}")]
    State {
        /// The job.
        name: JobName,
        /// Its state.
        state: State,
    },
    /// The job is not planned now: it may be later.
    #[error("the job is not planned: {0}")]
    Planning(String),
    /// The job is none that the farm takes.
    #[error("the job is refused: {0}")]
    Refused(String),
    /// More than a limit allows.
    #[error("{what} is {is}, the farm takes at most {limit}")]
    Limit {
        /// The limited quantity.
        what: &'static str,
        /// How much it is.
        is: u64,
        /// How much it may be.
        limit: u64,
    },
    /// A stored object does not have its digest, or is no state of a job.
    #[error("{what} in the store is damaged: {detail}")]
    Damaged {
        /// The object.
        what: String,
        /// The fault.
        detail: String,
    },
    /// Two workers made different proofs of one job: one of the two computes wrongly.
    #[error("ALARM: workers `{first}` and `{second}` made different proofs of job {name}")]
    Differ {
        /// The job.
        name: JobName,
        /// The worker whose proof is published.
        first: String,
        /// The worker whose proof differs from it.
        second: String,
    },
    /// A prover did not come back: its device is lost until the process ends. The job is given back.
    #[error("worker `{worker}` is stuck in job {name}, which is given back: end this process and begin another")]
    Stuck {
        /// The worker.
        worker: String,
        /// The job that it had.
        name: JobName,
    },
    /// An option of a program that runs a part of the farm.
    #[error("{0}")]
    Options(String),
}

impl Error {
    /// The limited quantity of [`Error::Limit`] when the queue is full: the same job may be taken later.
    pub const QUEUE: &'static str = "the number of jobs that wait";
    /// The same when the store of inputs is full: inputs that nobody needs go with time.
    pub const INPUTS: &'static str = "the number of bytes of all inputs";
}
