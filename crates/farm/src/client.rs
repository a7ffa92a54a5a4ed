//! What a client asks of a farm.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use proof_format::text::shown;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::connection::{Farm, Shared};
use crate::patience::{now, server};
use crate::queue::Depth;
use crate::state::{Entry, Late, Record, Row};
use crate::store::Artefact;
use crate::{
    Alarm, Digest, Error, Job, JobName, Needs, Options, Prover, Result, Settings, State, Status, Submission, Worker,
    thread,
};

/// A client of a farm. Clones share the connection.
#[derive(Clone)]
pub struct Client {
    pub(crate) farm: Shared,
    /// A job is planned in time and memory that whoever submits it decides: few at a time. Who gave up waiting frees nothing until its plan
    /// is made.
    planning: Arc<Semaphore>,
}

/// After so long without a change whoever waits for a job asks whether there still is one.
const QUIET: Duration = Duration::from_secs(60);
/// Jobs that a client plans at a time.
const PLANS: usize = 2;
/// How often an input is asked for that is not there, and how long between: of several servers one may be behind.
const LOOKS: usize = 4;
const BEHIND: Duration = Duration::from_millis(500);

/// How many jobs there are.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// By state, all states in their order.
    pub states: Vec<(State, u64)>,
    /// Those that wait or run, by priority and memory.
    pub depths: Vec<Depth>,
}

impl Client {
    /// Connects, and makes the farm's streams where they are not there.
    ///
    /// # Errors
    /// [`Error::Options`] for options and credentials that cannot be, [`Error::Server`] if no server answers in time.
    pub async fn connect(options: &Options) -> Result<Self> {
        Ok(Self { farm: Arc::new(Farm::connect(options).await?), planning: Arc::new(Semaphore::new(PLANS)) })
    }

    /// The options that it works with: those that it was connected with, with the farm's settings as they were then.
    pub fn options(&self) -> &Options {
        &self.farm.options
    }

    /// What all of the farm share, as its servers say now.
    ///
    /// # Errors
    /// What the servers say.
    pub async fn settings(&self) -> Result<Settings> {
        self.patiently(|| self.farm.settings()).await
    }

    /// Changes a farm that is there to these replicas, limit of jobs, lease and times. Who is connected takes lease and times over when it
    /// connects again; a lease that has become shorter is renewed too late until then, so that its jobs are begun again.
    ///
    /// # Errors
    /// What the servers say.
    pub async fn configure(&self, options: &Options) -> Result<()> {
        self.farm.configure(options).await
    }

    async fn patiently<T, F: Future<Output = Result<T>>>(&self, ask: impl Fn() -> F) -> Result<T> {
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

    /// Submits a job, in normal form and with what it needs, both of which the prover says. A job that is there is returned as it is;
    /// one that failed, was set aside or cancelled, or whose proof is gone, is queued again.
    ///
    /// # Errors
    /// [`Error::Refused`] for what is no job, [`Error::Limit`] if too many wait.
    pub async fn submit(&self, prover: &Arc<dyn Prover>, submission: Submission) -> Result<Status> {
        Ok(self.submit_new(prover, submission).await?.0)
    }

    /// As [`Self::submit`], and whether it was queued now, rather than being there already.
    pub(crate) async fn submit_new(&self, prover: &Arc<dyn Prover>, submission: Submission) -> Result<(Status, bool)> {
        self.check(&submission.job)?;
        let turn = self.turn().await?;
        let (normalising, asked) = (Arc::clone(prover), submission.job);
        let normal = thread::run(move || (normalising.normal(&asked), turn));
        let (job, turn) = normal.await.map_err(Error::Refused)?;
        let job = job.map_err(Error::Refused)?;
        self.check(&job)?;
        if let Some(status) = self.stays(&job.name()).await? {
            return Ok((status, false));
        }
        let inputs = self.inputs(&job).await?;
        self.plan(prover, Submission { job, ..submission }, inputs, turn).await
    }

    /// As [`Self::submit`], for a job in normal form whose inputs are at hand: they are stored first.
    ///
    /// # Errors
    /// As there.
    pub async fn submit_with(
        &self,
        prover: &Arc<dyn Prover>,
        submission: Submission,
        inputs: BTreeMap<String, Bytes>,
    ) -> Result<Status> {
        self.check(&submission.job)?;
        for bytes in inputs.values() {
            self.put_input(bytes.clone()).await?;
        }
        if let Some(status) = self.stays(&submission.job.name()).await? {
            return Ok(status);
        }
        Ok(self.plan(prover, submission, inputs, self.turn().await?).await?.0)
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit> {
        let turn = Arc::clone(&self.planning).acquire_owned().await;
        turn.map_err(|error| Error::Refused(error.to_string()))
    }

    /// Plans a job in normal form, and queues it.
    async fn plan(
        &self,
        prover: &Arc<dyn Prover>,
        submission: Submission,
        inputs: BTreeMap<String, Bytes>,
        turn: OwnedSemaphorePermit,
    ) -> Result<(Status, bool)> {
        let (planning, normal) = (Arc::clone(prover), submission.job.clone());
        let needs = thread::run(move || {
            // Held until this is done, whoever waits for it.
            let _turn = turn;
            planning.needs(&normal, &inputs)
        });
        let needs = needs.await.map_err(Error::Refused)?.map_err(Error::Refused)?;
        let record = Record::new(submission, needs);
        self.patiently(|| self.enqueue(&record)).await
    }

    /// A job that was submitted before, if to submit it again changes nothing.
    async fn stays(&self, name: &JobName) -> Result<Option<Status>> {
        self.patiently(|| async {
            let Some(there) = self.farm.states.read(name).await? else { return Ok(None) };
            Ok(self.is_wanted(&there.record.status).await?.then_some(there.record.status))
        })
        .await
    }

    /// Whether a job waits, runs or has its proof.
    async fn is_wanted(&self, status: &Status) -> Result<bool> {
        match (status.state, &status.proof) {
            (State::Queued | State::Running, _) => Ok(true),
            (State::Done, Some(proof)) => self.farm.proofs.has(proof).await,
            _ => Ok(false),
        }
    }

    /// Submits a job that is in normal form, and takes this. See [`Self::submit`].
    ///
    /// # Errors
    /// As there. Whether its inputs are there is not looked at. After [`Error::Server`] the job may have been submitted; once more does no
    /// harm.
    pub async fn submit_normal(&self, submission: Submission, needs: Needs) -> Result<Status> {
        self.check(&submission.job)?;
        let record = Record::new(submission, needs);
        Ok(self.patiently(|| self.enqueue(&record)).await?.0)
    }

    fn check(&self, job: &Job) -> Result<()> {
        let limits = &self.farm.options.limits;
        let is = serde_json::to_vec(job).map_or(u64::MAX, |bytes| bytes.len() as u64);
        if is > limits.job_bytes {
            return Err(Error::Limit { what: "a job's size in bytes", is, limit: limits.job_bytes });
        }
        if job.inputs.len() > limits.inputs {
            let (is, limit) = (job.inputs.len() as u64, limits.inputs as u64);
            return Err(Error::Limit { what: "the number of a job's inputs", is, limit });
        }
        Ok(())
    }

    /// The state is written first: a message without a state would be nobody's, a state without a message is found and queued.
    /// Whether it is queued now is the second.
    async fn enqueue(&self, record: &Record) -> Result<(Status, bool)> {
        let farm = &self.farm;
        loop {
            if let Some(entry) = farm.states.create(record.clone()).await? {
                return match self.patiently(|| farm.queue.publish(&entry)).await {
                    Ok(()) => Ok((entry.record.status, true)),
                    Err(error @ Error::Limit { .. }) => {
                        farm.states.forget(&entry.record.status.name, entry.revision).await?;
                        Err(error)
                    }
                    Err(error) => Err(error),
                };
            }
            if let Some(there) = farm.states.read(&record.status.name).await?
                && let Some(done) = self.again(there, record).await?
            {
                return Ok(done);
            }
        }
    }

    /// A job that was submitted before. `None` if somebody else changed it in between.
    async fn again(&self, there: Entry, record: &Record) -> Result<Option<(Status, bool)>> {
        let farm = &self.farm;
        let status = &there.record.status;
        if self.is_wanted(status).await? {
            return Ok(Some((there.record.status, false)));
        }
        let generation = there.record.generation + 1;
        // Proofs that there were are compared with the one that will be published.
        let mut late = there.record.late.clone();
        let worker = status.worker.clone().unwrap_or_default();
        late.extend(status.proof.map(|proof| Late { worker, proof }));
        let next = Record { generation, late, ..record.clone() };
        let Some(entry) = farm.states.replace(next, there.revision).await? else { return Ok(None) };
        match self.patiently(|| farm.queue.publish(&entry)).await {
            Ok(()) => Ok(Some((entry.record.status, true))),
            Err(error @ Error::Limit { .. }) => {
                // As it was, under the new generation.
                let back = Record { generation, ..there.record };
                farm.states.replace(back, entry.revision).await?;
                Err(error)
            }
            Err(error) => Err(error),
        }
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
                    shown(role)
                ))
            };
            inputs.insert(role.clone(), bytes.ok_or_else(gone)?);
        }
        Ok(inputs)
    }

    async fn entry(&self, name: &JobName) -> Result<Entry> {
        self.patiently(|| self.farm.states.read(name)).await?.ok_or(Error::Unknown(*name))
    }

    /// What is known of a job.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub async fn status(&self, name: JobName) -> Result<Status> {
        Ok(self.entry(&name).await?.record.status)
    }

    /// Jobs in this state, or all, in the order of their names: at most `limit`, of those behind `after`. It reads all states.
    ///
    /// # Errors
    /// What the servers say.
    pub async fn list(&self, state: Option<State>, limit: usize, after: Option<JobName>) -> Result<Vec<Status>> {
        self.patiently(|| self.farm.states.first(state, limit, after)).await
    }

    /// What lists and counts need of all jobs, by name.
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
            // Of a state that is too old and gone, nobody tells.
            let status = match timeout(QUIET, changes.next()).await {
                Ok(Some(status)) => status?,
                Ok(None) | Err(_) => self.status(name).await?,
            };
            if status.state.is_final() {
                return Ok(status);
            }
        }
    }

    /// Changes as they come: of one job its present state first, of all jobs what changes from now on. It never ends. Whoever reads
    /// slowly misses states in between, never a last one.
    pub fn watch(&self, name: Option<JobName>) -> BoxStream<'static, Result<Status>> {
        crate::watch::watch(Arc::clone(&self.farm), name)
    }

    /// Cancels a job, whose worker stops at its next phase.
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
                // What is lost of these two is made up for: a worker reads the state before it begins, and as it renews its lease.
                let told = farm.nats.publish(farm.names.cancelled(), name.to_string().into()).await;
                told.map_err(server("the word of a cancellation"))?;
                farm.queue.remove(&message).await?;
                return Ok(entry.record.status);
            }
        }
    }

    /// A job's proof, which is what its digest says.
    ///
    /// # Errors
    /// [`Error::Unknown`]; [`Error::State`] if there is none (yet); [`Error::Damaged`] if the store has it no more, or not whole.
    pub async fn result(&self, name: JobName) -> Result<Bytes> {
        let status = self.status(name).await?;
        let (State::Done, Some(digest)) = (status.state, status.proof) else {
            return Err(Error::State { name, state: status.state });
        };
        let found = self.patiently(|| async {
            // A server of several may be a little behind: it is asked again.
            self.farm.proofs.get(&digest).await?.ok_or_else(|| server("a proof")("it is not in the store"))
        });
        found.await
    }

    /// As [`Self::result`], as it comes.
    pub(crate) async fn read_result(&self, name: JobName) -> Result<Artefact> {
        let status = self.status(name).await?;
        let (State::Done, Some(digest)) = (status.state, status.proof) else {
            return Err(Error::State { name, state: status.state });
        };
        let proofs = &self.farm.proofs;
        self.patiently(|| async {
            proofs.read(&digest).await?.ok_or_else(|| server("a proof")("it is not in the store"))
        })
        .await
    }

    /// The workers that were heard of lately.
    ///
    /// # Errors
    /// What the servers say.
    pub async fn workers(&self) -> Result<Vec<Worker>> {
        self.patiently(|| self.farm.all_workers()).await
    }

    /// Jobs by state, and how many wait where. It reads all states.
    ///
    /// # Errors
    /// What the servers say.
    pub async fn counts(&self) -> Result<Counts> {
        let all = self.patiently(|| self.farm.states.rows()).await?;
        let count = |state| all.iter().filter(|row| row.state == state).count() as u64;
        let states = State::ALL.into_iter().map(|state| (state, count(state))).collect();
        Ok(Counts { states, depths: self.depths().await? })
    }

    /// How many jobs wait and run, by priority and memory.
    ///
    /// # Errors
    /// What the servers say.
    pub async fn depths(&self) -> Result<Vec<Depth>> {
        self.patiently(|| self.farm.queue.depths()).await
    }

    /// Proofs of one job that differed, the oldest first. They are kept for ever.
    ///
    /// # Errors
    /// What the servers say.
    pub async fn alarms(&self) -> Result<Vec<Alarm>> {
        self.patiently(|| self.farm.all_alarms()).await
    }

    /// As [`Self::alarms`], of this job.
    ///
    /// # Errors
    /// What the servers say.
    pub async fn alarms_of(&self, job: JobName) -> Result<Vec<Alarm>> {
        self.patiently(|| self.farm.alarms_of(job)).await
    }

    /// Whether the servers answer now.
    ///
    /// # Errors
    /// That they do not.
    pub async fn ping(&self) -> Result<()> {
        self.farm.queue.stream.get_info().await.map_err(server("the queue"))?;
        Ok(())
    }
}
