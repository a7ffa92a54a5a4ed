//! The farm as the HTTP side sees it: tests put one in memory behind it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use futures_util::Stream;
use serde::Serialize;

use crate::store::Artefact;
use crate::{Digest, JobName, ProofConflict, Result, State, Status, Submission, Worker};

/// The pending answer of a farm.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Each status as it changes, in the order of changes.
pub type Changes = Pin<Box<dyn Stream<Item = Result<Status>> + Send>>;

/// A job that was submitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    /// How it stands.
    pub status: Status,
    /// Whether it was queued now, rather than being there already.
    pub queued: bool,
}

/// Jobs of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Listed {
    /// In the order of their names.
    pub jobs: Vec<Status>,
    /// The name behind which the list goes on, if it may.
    pub after: Option<JobName>,
}

/// How many jobs there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Jobs by the name of their state; all states are there.
    pub jobs: BTreeMap<&'static str, u64>,
    /// Jobs that wait for a worker, by the name of their priority; all priorities are there.
    pub queue: BTreeMap<&'static str, u64>,
}

/// Bytes of a list's jobs, about.
pub const MOST_LISTED: usize = 4 << 20;

/// The requests of the HTTP side to a farm.
pub trait Farm: Send + Sync + 'static {
    /// Brings the job into its normal form and queues it, unless it is there already.
    fn submit(&self, submission: Submission) -> Answer<'_, Submitted>;

    /// The job that is called so: by its name, or by enough of the digits that it begins with, in either case.
    fn named<'a>(&'a self, text: &'a str) -> Answer<'a, JobName>;

    /// How a job stands.
    fn status(&self, name: JobName) -> Answer<'_, Status>;

    /// Jobs in the order of their names, at most `limit` and not many more than [`MOST_LISTED`] bytes: jobs in this
    /// state, with a name greater than `after`.
    fn list(&self, state: Option<State>, limit: usize, after: Option<JobName>) -> Answer<'_, Listed>;

    /// Cancels a job.
    fn cancel(&self, name: JobName) -> Answer<'_, Status>;

    /// The proof of a job.
    fn proof(&self, name: JobName) -> Answer<'_, Artefact>;

    /// Stores an input by its digest.
    fn put_input(&self, bytes: Bytes) -> Answer<'_, Digest>;

    /// Changes from now on. An error stands for changes that were missed.
    fn watch(&self) -> Answer<'_, Changes>;

    /// Workers that were heard of lately.
    fn workers(&self) -> Answer<'_, Vec<Worker>>;

    /// Alarms on record, the oldest first.
    fn alarms(&self) -> Answer<'_, Vec<ProofConflict>>;

    /// How many jobs there are.
    fn counts(&self) -> Answer<'_, Counts>;

    /// Whether the servers answer now.
    fn ping(&self) -> Answer<'_, ()>;
}
