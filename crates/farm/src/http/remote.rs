//! The farm that a client reaches.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::farm::{Answer, Changes, Counts, Farm, Submitted};
use crate::{Alarm, Client, Digest, JobName, Priority, Prover, Result, State, Status, Submission, Worker};

/// How old counts may be: this old, or ten times as old as it takes to make them.
const OLDEST: Duration = Duration::from_secs(1);

/// The farm of a client; what it says of a job's normal form and needs, a prover says, which is not asked for proofs.
pub struct Remote {
    client: Client,
    prover: Arc<dyn Prover>,
    /// To list or count is to read all states. Whoever asks while they are read waits, and all who wait share the next reading.
    last: Mutex<Option<Reading>>,
    /// How many wait for a list.
    waiting: AtomicUsize,
}

/// All states.
struct Reading {
    begun: Instant,
    took: Duration,
    counts: Counts,
    /// By their names. They go when nobody waits for them.
    jobs: Option<Arc<Vec<Status>>>,
}

/// One who waits for a list.
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
        Self { client, prover, last: Mutex::default(), waiting: AtomicUsize::new(0) }
    }

    async fn read(&self) -> Result<Reading> {
        let begun = Instant::now();
        let jobs = self.client.list(None, usize::MAX, None).await?;
        Ok(Reading { begun, took: begun.elapsed(), counts: count(&jobs), jobs: Some(Arc::new(jobs)) })
    }

    /// All jobs by their names, as they were after now.
    async fn all(&self) -> Result<Arc<Vec<Status>>> {
        let asked = Instant::now();
        let waiting = Waiting::new(&self.waiting);
        let mut last = self.last.lock().await;
        let shared = last.as_ref().filter(|reading| reading.begun >= asked).and_then(|reading| reading.jobs.clone());
        let jobs = match shared {
            Some(jobs) => jobs,
            None => last.insert(self.read().await?).jobs.clone().unwrap_or_default(),
        };
        drop(waiting);
        if self.waiting.load(Ordering::Relaxed) == 0
            && let Some(last) = &mut *last
        {
            last.jobs = None;
        }
        Ok(jobs)
    }
}

fn count(jobs: &[Status]) -> Counts {
    let count = |is: &dyn Fn(&Status) -> bool| jobs.iter().filter(|status| is(status)).count() as u64;
    let waits = |status: &Status, priority| status.state == State::Queued && status.priority == priority;
    Counts {
        jobs: State::ALL.map(|state| (state.name(), count(&|status| status.state == state))).into(),
        queue: Priority::ALL.map(|first| (first.name(), count(&|status| waits(status, first)))).into(),
    }
}

impl Farm for Remote {
    fn submit(&self, submission: Submission) -> Answer<'_, Submitted> {
        Box::pin(async move {
            let (status, queued) = self.client.submit_new(&self.prover, submission).await?;
            Ok(Submitted { status, queued })
        })
    }

    fn status(&self, name: JobName) -> Answer<'_, Status> {
        Box::pin(self.client.status(name))
    }

    fn list(&self, state: Option<State>, limit: usize, after: Option<JobName>) -> Answer<'_, Vec<Status>> {
        Box::pin(async move {
            let all = self.all().await?;
            let from = after.map_or(0, |after| all.partition_point(|status| status.name <= after));
            let those = all[from..].iter().filter(|status| state.is_none_or(|state| status.state == state));
            Ok(those.take(limit).cloned().collect())
        })
    }

    fn cancel(&self, name: JobName) -> Answer<'_, Status> {
        Box::pin(self.client.cancel(name))
    }

    fn proof(&self, name: JobName) -> Answer<'_, Bytes> {
        Box::pin(self.client.result(name))
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

    fn alarms(&self) -> Answer<'_, Vec<Alarm>> {
        Box::pin(self.client.alarms())
    }

    fn counts(&self) -> Answer<'_, Counts> {
        Box::pin(async {
            let mut last = self.last.lock().await;
            if let Some(reading) = &*last
                && reading.begun.elapsed() < OLDEST.max(reading.took * 10)
            {
                return Ok(reading.counts.clone());
            }
            let reading = last.insert(Reading { jobs: None, ..self.read().await? });
            Ok(reading.counts.clone())
        })
    }

    fn ping(&self) -> Answer<'_, ()> {
        Box::pin(self.client.ping())
    }
}
