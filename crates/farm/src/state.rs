//! States of jobs: every change is a compare-and-set.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::push::OrderedConfig;
use async_nats::jetstream::kv::{CreateErrorKind, Operation, Store, UpdateErrorKind};
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::patience::{now, server};
use crate::{Digest, Error, JobName, Priority, Requirements, Result, State, Status, Submission};

/// Characters of an error, and of a program's output, that are kept: a state must fit a message.
const MOST_OF_A_TEXT: usize = 4096;

/// As much of a text as is kept.
pub(crate) fn kept(text: &str) -> String {
    text.chars().take(MOST_OF_A_TEXT).collect()
}

/// A proof that came from a worker that had lost the job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LateProof {
    pub(crate) worker: String,
    pub(crate) proof: Digest,
}

/// The stored record of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The message of the job that counts: earlier ones are void.
    pub(crate) generation: u64,
    /// How often that message had been delivered when the last attempt began. One that was delivered no later than that
    /// is stale.
    pub(crate) delivery: u64,
    /// When it was written.
    pub(crate) touched: u64,
    /// Proofs that came before there was a published one.
    pub(crate) late: Vec<LateProof>,
    /// The public status.
    pub(crate) status: Status,
}

impl Record {
    /// A job that waits for the first time.
    pub(crate) fn new(submission: Submission, needs: Requirements) -> Self {
        let at = now();
        let status = Status {
            name: submission.job.name(),
            job: submission.job,
            priority: submission.priority,
            deadline: submission.deadline,
            state: State::Queued,
            bytes: needs.bytes,
            attempts: 0,
            worker: None,
            phase: None,
            share: 0.0,
            submitted: at,
            begun: None,
            ended: None,
            phases: Vec::new(),
            error: None,
            proof: None,
            proof_bytes: None,
            printed: None,
        };
        Self { generation: 1, delivery: 0, touched: at, late: Vec::new(), status }
    }

    /// The same under a new message: changes under earlier messages are void.
    pub(crate) fn with_new_message(&self) -> Self {
        let mut next = self.clone();
        next.generation += 1;
        next.delivery = 0;
        next.touched = now();
        next.queue();
        next
    }

    /// It waits, again.
    pub(crate) fn queue(&mut self) {
        self.status.state = State::Queued;
        self.status.phase = None;
        self.status.share = 0.0;
    }

    /// It becomes final, with an error or without.
    pub(crate) fn end(&mut self, state: State, error: Option<String>) {
        self.status.state = state;
        self.status.phase = None;
        self.status.error = error.as_deref().map(kept);
        self.status.ended = Some(now());
    }

    /// Whether both are the same attempt of the same worker: the fence.
    pub(crate) fn same_attempt(&self, other: &Self) -> bool {
        let (a, b) = (&self.status, &other.status);
        let key = |record: &Self| (record.generation, record.delivery, record.status.attempts);
        a.state == State::Running && b.state == State::Running && key(self) == key(other) && a.worker == b.worker
    }
}

/// The part of a record that lists and counts need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) name: JobName,
    pub(crate) state: State,
    pub(crate) priority: Priority,
}

/// A record and its revision.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) record: Record,
    pub(crate) revision: u64,
}

/// The result of a change: the new entry, or nothing if another has written before.
pub(crate) type Change = Option<Entry>;

pub(crate) fn bytes(value: &impl Serialize) -> Result<Bytes> {
    match serde_json::to_vec(value) {
        Ok(bytes) => Ok(bytes.into()),
        Err(error) => Err(Error::Refused(error.to_string())),
    }
}

pub(crate) fn parse<T: DeserializeOwned>(key: &str, value: &[u8]) -> Result<T> {
    serde_json::from_slice(value)
        .map_err(|error| Error::Damaged { what: format!("the state `{key}`"), detail: error.to_string() })
}

/// The states of a farm's jobs.
#[derive(Clone, Debug)]
pub(crate) struct States {
    pub(crate) nats: async_nats::Client,
    pub(crate) bucket: Store,
}

impl States {
    /// The record of a job.
    pub(crate) async fn read(&self, name: &JobName) -> Result<Option<Entry>> {
        let key = name.to_string();
        let entry = self.bucket.entry(key.as_str()).await.map_err(server("a job's state"))?;
        match entry {
            Some(entry) if entry.operation == Operation::Put => {
                let record = parse(&key, &entry.value)?;
                Ok(Some(Entry { record, revision: entry.revision }))
            }
            _ => Ok(None),
        }
    }

    /// A first record. `None` if there is one.
    pub(crate) async fn create(&self, record: Record) -> Result<Change> {
        let key = record.status.name.to_string();
        match self.bucket.create(&key, bytes(&record)?).await {
            Ok(revision) => Ok(Some(Entry { record, revision })),
            Err(error) if error.kind() == CreateErrorKind::AlreadyExists => self.is_there(record).await,
            Err(error) => Err(server("a new job's state")(error)),
        }
    }

    /// The next record, if the last one is of this revision.
    pub(crate) async fn replace(&self, record: Record, revision: u64) -> Result<Change> {
        let key = record.status.name.to_string();
        match self.bucket.update(&key, bytes(&record)?, revision).await {
            Ok(revision) => Ok(Some(Entry { record, revision })),
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => self.is_there(record).await,
            Err(error) => Err(server("a job's new state")(error)),
        }
    }

    /// A write whose answer was lost is found to be made when it is tried again.
    async fn is_there(&self, record: Record) -> Result<Change> {
        match self.read(&record.status.name).await? {
            Some(entry) if entry.record == record => Ok(Some(entry)),
            _ => Ok(None),
        }
    }

    /// Takes back a first record.
    pub(crate) async fn forget(&self, name: &JobName, revision: u64) -> Result<()> {
        let key = name.to_string();
        self.bucket.delete_expect_revision(&key, Some(revision)).await.map_err(server("a job's state"))
    }

    /// The parts of all records that lists and counts need, by name: little of each, however long it is.
    pub(crate) async fn rows(&self) -> Result<Vec<Row>> {
        let mut rows = scan(&self.nats, &self.bucket, |key, value, _| {
            let record: Record = parse(key, value).inspect_err(|error| tracing::error!("{error}")).ok()?;
            let Status { name, state, priority, .. } = record.status;
            Some(Row { name, state, priority })
        })
        .await?;
        rows.sort_by_key(|row| row.name);
        Ok(rows)
    }

    /// The first jobs by name behind `after`, in this state or in any. Other jobs are not kept while the rest is read.
    pub(crate) async fn first(
        &self,
        state: Option<State>,
        limit: usize,
        after: Option<JobName>,
    ) -> Result<Vec<Status>> {
        let mut first = BTreeMap::new();
        scan(&self.nats, &self.bucket, |key, value, _| {
            let status = parse::<Record>(key, value).inspect_err(|error| tracing::error!("{error}")).ok()?.status;
            // It may be another state of a job that has come already.
            first.remove(&status.name);
            if state.is_none_or(|state| status.state == state) && after.is_none_or(|after| status.name > after) {
                first.insert(status.name, status);
                if first.len() > limit {
                    first.pop_last();
                }
            }
            Some(())
        })
        .await?;
        Ok(first.into_values().collect())
    }

    /// All records, in no order.
    pub(crate) async fn all(&self) -> Result<Vec<Entry>> {
        scan(&self.nats, &self.bucket, |key, value, revision| {
            // A record that cannot be read is no reason not to see the others.
            let record = parse(key, value).inspect_err(|error| tracing::error!("{error}")).ok()?;
            Some(Entry { record, revision })
        })
        .await
    }
}

/// All values of a bucket.
///
/// A key that is written in the meantime is not missed: its old value may be gone before it is read, and the new one
/// comes later, when all others have. So it is read until there are as many keys as there were at the beginning.
pub(crate) async fn scan<T>(
    nats: &async_nats::Client,
    bucket: &Store,
    mut take: impl FnMut(&str, &[u8], u64) -> Option<T>,
) -> Result<Vec<T>> {
    const WHAT: &str = "all keys of a bucket";
    /// How long a key may be away that is written; one that is not there then has become too old.
    const AWAY: Duration = Duration::from_millis(500);
    let keys = bucket.stream.get_info().await.map_err(server(WHAT))?.state.subjects_count;
    let config = OrderedConfig {
        deliver_subject: nats.new_inbox(),
        filter_subject: format!("{}>", bucket.prefix),
        deliver_policy: DeliverPolicy::LastPerSubject,
        ..OrderedConfig::default()
    };
    let consumer = bucket.stream.create_consumer(config).await.map_err(server(WHAT))?;
    let mut pending = consumer.cached_info().num_pending;
    let mut messages = consumer.messages().await.map_err(server(WHAT))?;
    let mut all = HashMap::new();
    while pending > 0 || (all.len() as u64) < keys {
        let patience = if pending > 0 { Duration::from_secs(10) } else { AWAY };
        let message = match timeout(patience, messages.next()).await {
            Ok(Some(message)) => message.map_err(server(WHAT))?,
            Ok(None) => return Err(server(WHAT)("the list breaks off")),
            Err(_) if pending == 0 => break,
            Err(late) => return Err(server(WHAT)(late)),
        };
        let info = message.info().map_err(server(WHAT))?;
        pending = info.pending;
        let removed = message.headers.as_ref().is_some_and(|headers| headers.get("KV-Operation").is_some());
        let key = message.subject.strip_prefix(bucket.prefix.as_str()).unwrap_or_default();
        let value = if removed { None } else { take(key, &message.payload, info.stream_sequence) };
        all.insert(key.to_owned(), value);
    }
    Ok(all.into_values().flatten().collect())
}
