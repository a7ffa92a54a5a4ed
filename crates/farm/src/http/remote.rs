//! The farm that a client reaches.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::farm::{Answer, Changes, Counts, Farm, Submitted};
use crate::{Alarm, Client, Digest, Error, JobName, Priority, Prover, Result, State, Status, Submission, Worker};

/// How old counts may be: this old, or ten times as old as it takes to make them.
const OLDEST: Duration = Duration::from_secs(1);

/// The farm of a client; what it says of a job's normal form and needs, a prover says, which is not asked for proofs.
pub struct Remote {
    client: Client,
    prover: Arc<dyn Prover>,
    /// To list or count is to read all states. Whoever asks while they are read waits, and all who wait share the next reading.
    all: Mutex<Option<Reading>>,
}

/// All states.
struct Reading {
    begun: Instant,
    took: Duration,
    /// By their names.
    jobs: Arc<Vec<Status>>,
}

impl Remote {
    /// A farm.
    pub fn new(client: Client, prover: Arc<dyn Prover>) -> Self {
        Self { client, prover, all: Mutex::default() }
    }

    /// All jobs by their names, by a reading that will do, or a new one.
    async fn all(&self, will_do: impl Fn(&Reading) -> bool) -> Result<Arc<Vec<Status>>> {
        let mut last = self.all.lock().await;
        if let Some(reading) = last.as_ref().filter(|reading| will_do(reading)) {
            return Ok(reading.jobs.clone());
        }
        let begun = Instant::now();
        let jobs = Arc::new(self.client.list(None, usize::MAX, None).await?);
        *last = Some(Reading { begun, took: begun.elapsed(), jobs: jobs.clone() });
        Ok(jobs)
    }
}

impl Farm for Remote {
    fn submit(&self, submission: Submission) -> Answer<'_, Submitted> {
        Box::pin(async move {
            let job = self.prover.normal(&submission.job).map_err(Error::Refused)?;
            let before = match self.client.status(job.name()).await {
                Ok(status) => Some(status.submitted),
                Err(Error::Unknown(_)) => None,
                Err(error) => return Err(error),
            };
            let status = self.client.submit(&self.prover, Submission { job, ..submission }).await?;
            // One that failed, and is queued again, is as new.
            let queued = before != Some(status.submitted);
            Ok(Submitted { status, queued })
        })
    }

    fn status(&self, name: JobName) -> Answer<'_, Status> {
        Box::pin(self.client.status(name))
    }

    fn list(&self, state: Option<State>, limit: usize, after: Option<JobName>) -> Answer<'_, Vec<Status>> {
        Box::pin(async move {
            let asked = Instant::now();
            let all = self.all(|reading| reading.begun >= asked).await?;
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
            let all = self.all(|reading| reading.begun.elapsed() < OLDEST.max(reading.took * 10)).await?;
            let count = |is: &dyn Fn(&Status) -> bool| all.iter().filter(|status| is(status)).count() as u64;
            let waits = |status: &Status, priority| status.state == State::Queued && status.priority == priority;
            Ok(Counts {
                jobs: State::ALL.map(|state| (state.name(), count(&|status| status.state == state))).into(),
                queue: Priority::ALL.map(|first| (first.name(), count(&|status| waits(status, first)))).into(),
            })
        })
    }

    fn ping(&self) -> Answer<'_, ()> {
        Box::pin(self.client.ping())
    }
}
