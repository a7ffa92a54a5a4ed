//! The farm that a client reaches.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep};

use super::farm::{Answer, Changes, Counts, Farm, Listed, MOST_LISTED, Submitted};
use crate::job_reference::JobReference;
use crate::patience::server;
use crate::state::Row;
use crate::thread::lock;
use crate::{
    Artefact, Client, Digest, Error, JobName, Priority, ProofConflict, Prover, Result, State, Status, Submission,
    Worker,
};

/// How often counts are made: this often, or a tenth of the time, as reading all states takes it.
const EVERY: Duration = Duration::from_secs(1);
/// They are made as long as a request for them has come in this time.
const INTEREST: Duration = Duration::from_secs(60);
/// How long a submission waits for a job's plan: less than for an answer.
const PLAN: Duration = Duration::from_secs(8);
/// Jobs of a list that are read at a time.
const AT_A_TIME: usize = 32;

/// The farm of a client. A job's normal form and needs come from a prover, which is not asked for proofs.
pub struct Remote {
    client: Client,
    prover: Arc<dyn Prover>,
    /// To list is to read all states. Requests that come while they are read wait, and all that wait share the next
    /// reading.
    last: Mutex<Option<(Instant, Arc<Vec<Row>>)>>,
    /// How many wait for a list.
    waiting: AtomicUsize,
    counting: Arc<Counting>,
}

/// Counts, which a task makes.
struct Counting {
    last: watch::Sender<Option<Counted>>,
    /// The time of the last request, if the task runs.
    asked: std::sync::Mutex<Option<Instant>>,
}

#[derive(Clone)]
struct Counted {
    at: Instant,
    took: Duration,
    counts: Counts,
}

impl Counted {
    fn pause(&self) -> Duration {
        EVERY.max(self.took * 10)
    }

    /// Whether it is as new as counts are while the task runs.
    fn is_new(&self) -> bool {
        self.at.elapsed() < (self.pause() + self.took) * 2
    }
}

/// A request that waits for a list.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Remote {
    /// A farm.
    pub fn new(client: Client, prover: Arc<dyn Prover>) -> Self {
        let counting = Arc::new(Counting { last: watch::channel(None).0, asked: std::sync::Mutex::default() });
        Self { client, prover, last: Mutex::default(), waiting: AtomicUsize::new(0), counting }
    }

    /// All jobs by their names, as they were after now.
    async fn rows(&self) -> Result<Arc<Vec<Row>>> {
        let asked = Instant::now();
        let waiting = Waiting::new(&self.waiting);
        let mut last = self.last.lock().await;
        let shared = last.as_ref().filter(|(begun, _)| *begun >= asked).map(|(_, rows)| Arc::clone(rows));
        let rows = match shared {
            Some(rows) => rows,
            None => {
                let begun = Instant::now();
                let rows = Arc::new(self.client.rows().await?);
                *last = Some((begun, Arc::clone(&rows)));
                rows
            }
        };
        drop(waiting);
        if self.waiting.load(Ordering::Relaxed) == 0 {
            *last = None;
        }
        Ok(rows)
    }

    /// Has counts made as long as there are requests.
    fn keep_counting(&self) {
        let before = lock(&self.counting.asked).replace(Instant::now());
        if before.is_some() {
            return;
        }
        let (client, counting) = (self.client.clone(), Arc::downgrade(&self.counting));
        tokio::spawn(async move {
            loop {
                let at = Instant::now();
                let rows = client.rows().await;
                let Some(counting) = counting.upgrade() else { return };
                let pause = match rows {
                    Ok(rows) => {
                        let counted = Counted { at, took: at.elapsed(), counts: count(&rows) };
                        let pause = counted.pause();
                        counting.last.send_replace(Some(counted));
                        pause
                    }
                    Err(error) => {
                        tracing::warn!("counts: {error}");
                        EVERY
                    }
                };
                {
                    let mut asked = lock(&counting.asked);
                    if asked.is_none_or(|asked| asked.elapsed() > INTEREST) {
                        *asked = None;
                        return;
                    }
                }
                drop(counting);
                sleep(pause).await;
            }
        });
    }
}

fn count(rows: &[Row]) -> Counts {
    let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count() as u64;
    let waits = |row: &Row, priority| row.state == State::Queued && row.priority == priority;
    Counts {
        jobs: State::ALL.map(|state| (state.name(), count(&|row| row.state == state))).into(),
        queue: Priority::ALL.map(|first| (first.name(), count(&|row| waits(row, first)))).into(),
    }
}

impl Farm for Remote {
    fn submit(&self, submission: Submission) -> Answer<'_, Submitted> {
        Box::pin(async move {
            let (status, queued) = self.client.submit_within(&self.prover, submission, PLAN).await?;
            Ok(Submitted { status, queued })
        })
    }

    fn named<'a>(&'a self, text: &'a str) -> Answer<'a, JobName> {
        Box::pin(JobReference::job(text, self.rows()))
    }

    fn status(&self, name: JobName) -> Answer<'_, Status> {
        Box::pin(self.client.status(name))
    }

    fn list(&self, state: Option<State>, limit: usize, after: Option<JobName>) -> Answer<'_, Listed> {
        Box::pin(async move {
            let rows = self.rows().await?;
            let from = after.map_or(0, |after| rows.partition_point(|row| row.name <= after));
            let those = rows[from..].iter().filter(|row| state.is_none_or(|state| row.state == state));
            let names: Vec<JobName> = those.map(|row| row.name).take(limit + 1).collect();
            drop(rows);
            let client = &self.client;
            let statuses = stream::iter(names).map(|name| async move { (name, client.status(name).await) });
            let mut statuses = statuses.buffered(AT_A_TIME);
            let (mut listed, mut bytes, mut seen) = (Listed::default(), 0, None);
            while let Some((name, status)) = statuses.next().await {
                if listed.jobs.len() == limit || bytes >= MOST_LISTED {
                    listed.after = seen;
                    break;
                }
                seen = Some(name);
                match status {
                    // It may have another one by now.
                    Ok(status) if state.is_none_or(|state| status.state == state) => {
                        bytes += serde_json::to_vec(&status).map_or(0, |bytes| bytes.len());
                        listed.jobs.push(status);
                    }
                    Ok(_) | Err(Error::Unknown(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(listed)
        })
    }

    fn cancel(&self, name: JobName) -> Answer<'_, Status> {
        Box::pin(self.client.cancel(name))
    }

    fn proof(&self, name: JobName) -> Answer<'_, Artefact> {
        Box::pin(self.client.read_result(name))
    }

    fn put_input(&self, bytes: Bytes) -> Answer<'_, Digest> {
        Box::pin(self.client.put_input(bytes))
    }

    fn watch(&self) -> Answer<'_, Changes> {
        let changes: Changes = self.client.watch(None);
        Box::pin(async { Ok(changes) })
    }

    fn workers(&self) -> Answer<'_, Vec<Worker>> {
        Box::pin(self.client.workers())
    }

    fn alarms(&self) -> Answer<'_, Vec<ProofConflict>> {
        Box::pin(self.client.alarms())
    }

    fn counts(&self) -> Answer<'_, Counts> {
        Box::pin(async {
            self.keep_counting();
            let mut last = self.counting.last.subscribe();
            let is_new = |last: &Option<Counted>| last.as_ref().is_some_and(Counted::is_new);
            let counted = last.wait_for(is_new).await.map_err(server("counting jobs"))?;
            Ok(counted.as_ref().map(|counted| counted.counts.clone()).unwrap_or_default())
        })
    }

    fn ping(&self) -> Answer<'_, ()> {
        Box::pin(self.client.ping())
    }
}
