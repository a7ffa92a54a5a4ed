//! The common parts of the cases: servers, a client, jobs, and the checks at the end.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use farm::{Client, Digest, JobName, Limits, Options, Prover, State, Status, Submission};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::servers::{self, Server};
use crate::toy::{Gate, Toy, proof};

/// A farm with servers of its own.
pub(crate) struct Rig {
    pub(crate) servers: Vec<Server>,
    pub(crate) options: Options,
    pub(crate) client: Client,
    pub(crate) folder: TempDir,
}

pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Refuses a wrong outcome.
pub(crate) fn must(so: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if so { Ok(()) } else { Err(what()) }
}

impl Rig {
    pub(crate) async fn new(nats: &Path, many: usize, jetstream: &str) -> Result<Self, String> {
        let limits = Limits { prove_seconds: 60, ..Limits::default() };
        Self::with(nats, many, (jetstream, ""), Options { limits, ..Options::default() }).await
    }

    /// With lines of the servers' configuration, in the block of JetStream and outside of it.
    pub(crate) async fn with(
        nats: &Path,
        many: usize,
        (jetstream, more): (&str, &str),
        options: Options,
    ) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(text)?;
        let servers = servers::start(nats, folder.path(), many, jetstream, more)?;
        let options = Options {
            servers: servers.iter().map(Server::url).collect(),
            replicas: many,
            lease: options.lease.min(Duration::from_secs(1)),
            attempts: 3,
            ..options
        };
        let client = Client::connect(&options).await.map_err(text)?;
        Ok(Self { servers, options, client, folder })
    }

    /// A gate that is shut.
    pub(crate) fn gate(&self, name: &str) -> Gate {
        Gate(self.folder.path().join(name))
    }

    /// Submits jobs, many at a time.
    pub(crate) async fn submit(&self, jobs: impl IntoIterator<Item = Submission>) -> Result<Vec<Status>, String> {
        let toy: Arc<dyn Prover> = Arc::new(Toy { differs: false, room: None });
        stream::iter(jobs)
            .map(|job| {
                let (client, toy) = (self.client.clone(), Arc::clone(&toy));
                async move { client.submit(&toy, job).await }
            })
            .buffered(64)
            .try_collect()
            .await
            .map_err(text)
    }

    /// Waits until this is so of the job.
    pub(crate) async fn until(
        &self,
        name: JobName,
        what: &str,
        within: Duration,
        so: impl Fn(&Status) -> bool,
    ) -> Result<Status, String> {
        let until = Instant::now() + within;
        loop {
            let status = self.client.status(name).await.map_err(text)?;
            if so(&status) {
                return Ok(status);
            }
            must(Instant::now() < until, || format!("in {within:?} a job is not {what}: {status:?}"))?;
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until the job runs; returns its worker.
    pub(crate) async fn until_running(&self, name: JobName) -> Result<String, String> {
        let status = self.until(name, "running", Duration::from_secs(10), |job| job.state == State::Running).await?;
        Ok(status.worker.unwrap_or_default())
    }

    /// Waits until all of these jobs are done, and compares their proofs with the expected ones.
    pub(crate) async fn all_done(&self, jobs: &[Status], within: Duration) -> Result<Vec<Status>, String> {
        let until = Instant::now() + within;
        loop {
            let found = self.client.list(None, usize::MAX, None).await.map_err(text)?;
            let mine = |name: &JobName| found.binary_search_by_key(name, |job| job.name).ok().map(|at| &found[at]);
            let now: Vec<&Status> = jobs.iter().filter_map(|job| mine(&job.name)).collect();
            must(now.len() == jobs.len(), || format!("{} of {} jobs are LOST", jobs.len() - now.len(), jobs.len()))?;
            let open = now.iter().filter(|job| !job.state.is_final()).count();
            if open > 0 {
                must(Instant::now() < until, || format!("in {within:?}, {open} of {} jobs are not final", jobs.len()))?;
                sleep(Duration::from_millis(100)).await;
                continue;
            }
            for job in &now {
                must(job.state == State::Done, || format!("a job is {}: {:?}", job.state, job.error))?;
                must(job.proof == Some(Digest::of(&proof(&job.job))), || {
                    format!("the proof of {} is WRONG", job.name)
                })?;
            }
            for job in now.iter().step_by(now.len().div_ceil(25).max(1)) {
                let bytes = self.client.result(job.name).await.map_err(text)?;
                must(bytes == proof(&job.job), || format!("the published proof of {} is WRONG", job.name))?;
            }
            return Ok(now.into_iter().cloned().collect());
        }
    }
}
