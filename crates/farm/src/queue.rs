//! The queue: one message for each job that waits or runs.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use async_nats::jetstream::{Context, Message};
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::names::{Names, class};
use crate::options::Options;
use crate::patience::server;
use crate::state::{Entry, Record, bytes, parse};
use crate::{Error, JobName, Priority, Result};

/// The content of a message: the record as it was when it was published. Its holder may change that revision without
/// reading it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) revision: u64,
    pub(crate) record: Record,
}

/// A consumer: jobs of one priority and class.
pub(crate) type Lane = (Priority, u32);

/// The queue of a farm.
#[derive(Clone)]
pub(crate) struct Queue {
    pub(crate) context: Context,
    pub(crate) stream: Stream,
    names: Names,
    lease: Duration,
    /// How long one request may take.
    answer: Duration,
    limit: u64,
    /// Consumers that are known to be there.
    known: Arc<Mutex<BTreeSet<(usize, u32)>>>,
}

/// Jobs of one priority and class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Depth {
    /// Their priority.
    pub priority: Priority,
    /// The most bytes that one of them takes, a power of two.
    pub bytes: u64,
    /// How many wait.
    pub waiting: u64,
    /// How many a worker has.
    pub taken: u64,
}

impl Queue {
    pub(crate) fn new(context: Context, stream: Stream, names: Names, options: &Options, answer: Duration) -> Self {
        let limit = options.limits.queued_jobs;
        Self { context, stream, names, lease: options.lease, answer, limit, known: Arc::default() }
    }

    /// Publishes a job as it is in this entry. Its worker's consumer is there before it.
    pub(crate) async fn publish(&self, entry: &Entry) -> Result<()> {
        let status = &entry.record.status;
        let class = class(status.bytes);
        self.consumer((status.priority, class)).await?;
        let subject = self.names.job(status.priority, class, &status.name);
        let note = Note { revision: entry.revision, record: entry.record.clone() };
        let id = format!("{}.{}", status.name, entry.record.generation);
        let message = PublishMessage::build().message_id(id).payload(bytes(&note)?);
        let sent = self.context.send_publish(subject, message).await.map_err(server("queueing a job"))?;
        let answer = sent.await;
        let full = |text: &str| text.contains("maximum messages exceeded");
        match answer {
            Ok(_) => {}
            Err(error) if full(&error.to_string()) => {
                return Err(Error::Limit { what: Error::QUEUE, is: self.limit + 1, limit: self.limit });
            }
            Err(error) => return Err(server("queueing a job")(error)),
        }
        // Idle workers look at once; if they do not hear it, they look a little later.
        let client = self.context.client();
        let lane = Names::consumer(status.priority, class);
        client.publish(self.names.bell(), lane.into()).await.map_err(server("the bell"))
    }

    /// Removes the message of a job, if there is one.
    pub(crate) async fn remove(&self, record: &Record) -> Result<()> {
        let subject = self.names.job(record.status.priority, class(record.status.bytes), &record.status.name);
        const WHAT: &str = "removing a job's message";
        let message = match self.stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => message,
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => return Ok(()),
            Err(error) => return Err(server(WHAT)(error)),
        };
        let note: Note = parse(&subject, &message.payload)?;
        // If the job was submitted again in between, it has another message.
        if note.record.generation <= record.generation {
            let purged = self.stream.purge().filter(subject).sequence(message.sequence + 1).await;
            purged.map_err(server(WHAT))?;
        }
        Ok(())
    }

    /// The consumer of a lane, made if it is not there.
    async fn consumer(&self, (priority, class): Lane) -> Result<()> {
        let key = (priority as usize, class);
        if self.known.lock().unwrap_or_else(PoisonError::into_inner).contains(&key) {
            return Ok(());
        }
        let name = Names::consumer(priority, class);
        // One that is there stays as it is.
        self.stream
            .get_or_create_consumer(&name, self.config((priority, class)))
            .await
            .map_err(server("making a consumer"))?;
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        Ok(())
    }

    fn config(&self, (priority, class): Lane) -> pull::Config {
        pull::Config {
            durable_name: Some(Names::consumer(priority, class)),
            filter_subject: self.names.filter(priority, class),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.lease,
            deliver_policy: DeliverPolicy::All,
            // How often a job is tried is in its state: nothing is dropped by the server.
            max_deliver: -1,
            max_ack_pending: -1,
            ..pull::Config::default()
        }
    }

    /// Sets the lease of all consumers.
    pub(crate) async fn set_lease(&self, lease: Duration) -> Result<()> {
        let queue = Self { lease, ..self.clone() };
        for lane in self.lanes().await? {
            self.stream.update_consumer(queue.config(lane)).await.map_err(server("changing a consumer"))?;
        }
        Ok(())
    }

    /// The lanes that there are, the first to be asked first: by priority, then lanes of large jobs, which fewer
    /// workers can take.
    pub(crate) async fn lanes(&self) -> Result<Vec<Lane>> {
        let names: Vec<String> = self.stream.consumer_names().try_collect().await.map_err(server("the consumers"))?;
        let mut lanes: Vec<Lane> = names.iter().filter_map(|name| Names::read_consumer(name)).collect();
        lanes.sort_by_key(|&(priority, class)| (priority, std::cmp::Reverse(class)));
        Ok(lanes)
    }

    /// The consumer of a lane that is there.
    pub(crate) async fn open(&self, (priority, class): Lane) -> Result<PullConsumer> {
        let name = Names::consumer(priority, class);
        self.stream.get_consumer(&name).await.map_err(server("a consumer"))
    }

    /// Messages that are there at once, at most `most`.
    pub(crate) async fn take(&self, consumer: &PullConsumer, most: usize) -> Result<Vec<Message>> {
        let mut taken = Vec::new();
        let mut batch = consumer.fetch().max_messages(most).messages().await.map_err(server("taking jobs"))?;
        // A server that went away in between says nothing more; messages from before count.
        while let Ok(Some(message)) = timeout(self.answer, batch.next()).await {
            match message {
                Ok(message) => taken.push(message),
                Err(error) if taken.is_empty() => return Err(server("taking jobs")(error)),
                Err(_) => break,
            }
        }
        Ok(taken)
    }

    /// The jobs that have a message.
    pub(crate) async fn jobs(&self) -> Result<BTreeSet<JobName>> {
        const WHAT: &str = "the subjects of the queue";
        let mut subjects = self.stream.info_with_subjects(self.names.all_jobs()).await.map_err(server(WHAT))?;
        let mut jobs = BTreeSet::new();
        while let Some((subject, _)) = subjects.try_next().await.map_err(server(WHAT))? {
            jobs.extend(Names::name_in(&subject));
        }
        Ok(jobs)
    }

    /// How many jobs wait and run, by priority and class.
    pub(crate) async fn depths(&self) -> Result<Vec<Depth>> {
        let mut depths = Vec::new();
        for (priority, class) in self.lanes().await? {
            let name = Names::consumer(priority, class);
            let info = self.stream.consumer_info(&name).await.map_err(server("a consumer"))?;
            let taken = info.num_ack_pending as u64;
            depths.push(Depth { priority, bytes: 1 << class, waiting: info.num_pending, taken });
        }
        Ok(depths)
    }
}
