//! The requests of a client to a farm.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use proof_format::text::excerpt;
use tokio::time::{sleep, timeout};

use crate::connection::{Farm, SharedFarm};
use crate::job_reference::JobReference;
use crate::patience::{now, server};
use crate::planning::Planning;
use crate::queue::Depth;
use crate::state::{Entry, Row};
use crate::store::Artefact;
use crate::{Digest, Error, Job, JobName, Options, ProofConflict, Result, Settings, State, Status, Worker};

/// A client of a farm. Clones share the connection.
#[derive(Clone)]
pub struct Client {
    pub(crate) farm: SharedFarm,
    pub(crate) planning: Arc<Planning>,
}

/// After this time without a change a client that waits for a job asks whether there still is one.
const QUIET: Duration = Duration::from_secs(60);
/// How often an input is asked for that is not there, and how long between: of several servers one may be behind.
const LOOKS: usize = 4;
const BEHIND: Duration = Duration::from_millis(500);

/// How many jobs there are.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// By state, all states in their order.
    pub states: Vec<(State, u64)>,
    /// Jobs that wait or run, by priority and memory.
    pub depths: Vec<Depth>,
}

impl Client {
    /// Connects, and makes the farm's streams where they are not there.
    ///
    /// # Errors
    /// [`Error::Options`] for options and credentials that cannot be, [`Error::Away`] if no server is there,
    /// [`Error::Server`] if one does not answer in time.
    pub async fn connect(options: &Options) -> Result<Self> {
        Ok(Self { farm: Arc::new(Farm::connect(options).await?), planning: Arc::new(Planning::new()) })
    }

    /// The options that it works with: the options of its connection, with the farm's settings at that time.
    pub fn options(&self) -> &Options {
        &self.farm.options
    }

    /// The settings that all of the farm share, as its servers say now.
    ///
    /// # Errors
    /// The servers' errors.
    pub async fn settings(&self) -> Result<Settings> {
        self.patiently(|| self.farm.settings()).await
    }

    /// Changes a farm that is there to these replicas, limit of jobs, lease and times. Connected clients take lease and
    /// times over when they connect again; a lease that has become shorter is renewed too late until then, so that its
    /// jobs are begun again.
    ///
    /// # Errors
    /// The servers' errors.
    pub async fn configure(&self, options: &Options) -> Result<()> {
        self.farm.configure(options).await
    }

    pub(crate) async fn patiently<T, F: Future<Output = Result<T>>>(&self, ask: impl Fn() -> F) -> Result<T> {
        self.farm.patiently(self.farm.options.patience, ask).await
    }

    /// Stores a file that a job is about. It is stored once.
    ///
    /// # Errors
    /// [`Error::Limit`] if it is too large.
    pub async fn put_input(&self, bytes: Bytes) -> Result<Digest> {
        let digest = Digest::of(&bytes);
        self.patiently(|| self.farm.inputs.put(&digest, &bytes, false)).await?;
        Ok(digest)
    }

    /// A job's inputs, by their roles.
    pub(crate) async fn inputs(&self, job: &Job) -> Result<BTreeMap<String, Bytes>> {
        let mut inputs = BTreeMap::new();
        for (role, digest) in &job.inputs {
            let mut bytes = self.patiently(|| self.farm.inputs.get(digest)).await?;
            for _ in 1..LOOKS {
                if bytes.is_none() {
                    sleep(BEHIND).await;
                    bytes = self.patiently(|| self.farm.inputs.get(digest)).await?;
                }
            }
            let gone = || {
                Error::Refused(format!(
                    "its input `{}` ({digest}) is not in the store: put it there first",
                    excerpt(role)
                ))
            };
            inputs.insert(role.clone(), bytes.ok_or_else(gone)?);
        }
        Ok(inputs)
    }

    async fn entry(&self, name: &JobName) -> Result<Entry> {
        self.patiently(|| self.farm.states.read(name)).await?.ok_or(Error::Unknown(*name))
    }

    /// The status of a job.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub async fn status(&self, name: JobName) -> Result<Status> {
        Ok(self.entry(&name).await?.record.status)
    }

    /// Jobs in this state, or all, in the order of their names: at most `limit`, behind `after`. It reads all states.
    ///
    /// # Errors
    /// The servers' errors.
    pub async fn list(&self, state: Option<State>, limit: usize, after: Option<JobName>) -> Result<Vec<Status>> {
        self.patiently(|| self.farm.states.first(state, limit, after)).await
    }

    /// The job whose name this is, or begins so: four digits of it or more, as the page shows them, in either case.
    ///
    /// # Errors
    /// [`Error::NoName`] for a text that is no beginning of a name, [`Error::Nobody`] if no job's name begins so,
    /// [`Error::Several`] if more than one's do.
    pub async fn named(&self, text: &str) -> Result<JobName> {
        JobReference::job(text, self.rows()).await
    }

    /// The data of all jobs that lists and counts need, by name.
    pub(crate) async fn rows(&self) -> Result<Vec<Row>> {
        self.patiently(|| self.farm.states.rows()).await
    }

    /// Waits until a job is final. It does not poll.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub async fn wait(&self, name: JobName) -> Result<Status> {
        let status = self.status(name).await?;
        if status.state.is_final() {
            return Ok(status);
        }
        let mut changes = self.watch(Some(name));
        loop {
            // Nobody tells of a state that is too old and gone.
            let status = match timeout(QUIET, changes.next()).await {
                Ok(Some(status)) => status?,
                Ok(None) | Err(_) => self.status(name).await?,
            };
            if status.state.is_final() {
                return Ok(status);
            }
        }
    }

    /// Changes as they come: of one job its present state first, of all jobs the changes from now on. It never ends. A
    /// slow reader misses states in between, never a last one.
    pub fn watch(&self, name: Option<JobName>) -> BoxStream<'static, Result<Status>> {
        crate::watch::watch(Arc::clone(&self.farm), name)
    }

    /// Cancels a job, whose worker stops as soon as its prover asks whether to go on.
    ///
    /// # Errors
    /// [`Error::Unknown`]; [`Error::State`] if it is final.
    pub async fn cancel(&self, name: JobName) -> Result<Status> {
        self.patiently(|| self.try_cancel(name)).await
    }

    async fn try_cancel(&self, name: JobName) -> Result<Status> {
        let farm = &self.farm;
        loop {
            let Entry { mut record, revision } = farm.states.read(&name).await?.ok_or(Error::Unknown(name))?;
            match record.status.state {
                State::Queued | State::Running => {}
                State::Cancelled => return Ok(record.status),
                state => return Err(Error::State { name, state }),
            }
            let message = record.clone();
            record.touched = now();
            record.end(State::Cancelled, None);
            if let Some(entry) = farm.states.replace(record, revision).await? {
                // If one of these two messages is lost, the worker still learns of it: it reads the state before it
                // begins, and as it renews its lease.
                let told = farm.nats.publish(farm.names.cancelled(), name.to_string().into()).await;
                told.map_err(server("the word of a cancellation"))?;
                farm.queue.remove(&message).await?;
                return Ok(entry.record.status);
            }
        }
    }

    /// A job's proof, which has its digest.
    ///
    /// # Errors
    /// [`Error::Unknown`]; [`Error::State`] if there is none (yet); [`Error::Damaged`] if the store has it no more, or
    /// not whole.
    pub async fn result(&self, name: JobName) -> Result<Bytes> {
        let digest = self.proof_of(name).await?;
        let found = self.patiently(|| async {
            // A server of several may be a little behind: it is asked again.
            self.farm.proofs.get(&digest).await?.ok_or_else(|| server("a proof")("it is not in the store"))
        });
        found.await
    }

    /// The digest of a job's proof.
    async fn proof_of(&self, name: JobName) -> Result<Digest> {
        let status = self.status(name).await?;
        let Status { state: State::Done, proof: Some(digest), .. } = status else {
            return Err(Error::State { name, state: status.state });
        };
        Ok(digest)
    }

    /// As [`Self::result`], streamed.
    pub(crate) async fn read_result(&self, name: JobName) -> Result<Artefact> {
        let digest = self.proof_of(name).await?;
        let proofs = &self.farm.proofs;
        self.patiently(|| async {
            proofs.read(&digest).await?.ok_or_else(|| server("a proof")("it is not in the store"))
        })
        .await
    }

    /// The workers that were heard of lately.
    ///
    /// # Errors
    /// The servers' errors.
    pub async fn workers(&self) -> Result<Vec<Worker>> {
        self.patiently(|| self.farm.all_workers()).await
    }

    /// Jobs by state, and how many wait where. It reads all states.
    ///
    /// # Errors
    /// The servers' errors.
    pub async fn counts(&self) -> Result<Counts> {
        let all = self.patiently(|| self.farm.states.rows()).await?;
        let count = |state| all.iter().filter(|row| row.state == state).count() as u64;
        let states = State::ALL.into_iter().map(|state| (state, count(state))).collect();
        Ok(Counts { states, depths: self.depths().await? })
    }

    /// How many jobs wait and run, by priority and memory.
    ///
    /// # Errors
    /// The servers' errors.
    pub async fn depths(&self) -> Result<Vec<Depth>> {
        self.patiently(|| self.farm.queue.depths()).await
    }

    /// Proofs of one job that differed, the oldest first. They are kept for ever.
    ///
    /// # Errors
    /// The servers' errors.
    pub async fn alarms(&self) -> Result<Vec<ProofConflict>> {
        self.patiently(|| self.farm.all_alarms()).await
    }

    /// As [`Self::alarms`], of this job.
    ///
    /// # Errors
    /// The servers' errors.
    pub async fn alarms_of(&self, job: JobName) -> Result<Vec<ProofConflict>> {
        self.patiently(|| self.farm.alarms_of(job)).await
    }

    /// Whether the servers answer now.
    ///
    /// # Errors
    /// The reason why they do not.
    pub async fn ping(&self) -> Result<()> {
        self.farm.queue.stream.get_info().await.map_err(server("the queue"))?;
        Ok(())
    }
}
