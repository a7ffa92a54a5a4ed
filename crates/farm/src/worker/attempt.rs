//! One attempt of one worker at one job. The job's record names both, which is its fence: an attempt that finds other
//! names has lost the job.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::AckKind;
use tokio::sync::Mutex as AsyncMutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::context::Context;
use super::judge::{Verdict, judge};
use super::lease::LeasedJob;
use super::signal::Signal;
use crate::connection::Farm;
use crate::patience::{FOR_EVER, now};
use crate::state::{Entry, Record};
use crate::thread::lock;
use crate::{Job, JobName, Result};

/// How often phases are written. An attempt that is over sooner writes none.
const WRITE: Duration = Duration::from_millis(500);

/// One attempt.
pub(super) struct Attempt {
    pub(super) name: JobName,
    pub(super) job: Job,
    pub(super) signal: Arc<Signal>,
    farm: Arc<Farm>,
    entry: Arc<AsyncMutex<Entry>>,
    follower: JoinHandle<()>,
    context: Arc<Context>,
}

impl Attempt {
    /// Begins a job that was taken. `None` if it is not to be begun: its message is answered.
    ///
    /// A job that is delivered for the first time is proven while its record is written: the message is mostly true of
    /// it, and if not, the attempt has lost the job. From the second delivery on the record is written first, so that a
    /// job that crashes its worker at once is counted.
    pub(super) async fn begin(context: &Arc<Context>, taken: &LeasedJob) -> Result<Option<Arc<Self>>> {
        let farm = context.farm();
        let (name, note) = (taken.name(), &taken.note);
        let worker = context.name();
        if note.record.status.job.name() != name {
            tracing::error!("the message of job {name} is about another job: it is removed");
            taken.answer(AckKind::Term).await;
            return Ok(None);
        }
        if taken.delivered == 1
            && let Verdict::Begin(next) =
                judge(&note.record, (note.record.generation, 1), &worker, farm.options.attempts, now())
        {
            let attempt = Self::new(context, name, Entry { record: *next, revision: note.revision });
            attempt.write_beginning().await;
            return Ok(Some(attempt));
        }
        let mut entry = farm.states.read(&name).await?;
        if entry.is_none() && !note.record.status.state.is_final() {
            // Its state is gone, which nobody renewed in time: the message has its last value.
            entry = farm.states.create(note.record.clone()).await?;
        }
        while let Some(Entry { record, revision }) = entry {
            let message = (note.record.generation, taken.delivered);
            let (next, begins) = match judge(&record, message, &worker, farm.options.attempts, now()) {
                Verdict::Void => break,
                Verdict::Stale => return Ok(None),
                Verdict::End(next) => (next, false),
                Verdict::Begin(next) => (next, true),
            };
            match farm.states.replace(*next, revision).await? {
                Some(_) if !begins => break,
                Some(entry) => return Ok(Some(Self::new(context, name, entry))),
                None => entry = farm.states.read(&name).await?,
            }
        }
        taken.answer(AckKind::Ack).await;
        Ok(None)
    }

    /// Writes its record, beside the next step. Other changes of the record wait until that is done.
    async fn write_beginning(self: &Arc<Self>) {
        let mut entry = Arc::clone(&self.entry).lock_owned().await;
        let (farm, signal) = (Arc::clone(&self.farm), Arc::clone(&self.signal));
        tokio::spawn(async move {
            match farm.patiently(FOR_EVER, || farm.states.replace(entry.record.clone(), entry.revision)).await {
                Ok(Some(written)) => *entry = written,
                // Cancelled, or begun by another.
                Ok(None) => signal.stop(),
                // It will not be published either.
                Err(error) => {
                    tracing::error!("job {}: {error}", entry.record.status.name);
                    signal.stop();
                }
            }
        });
    }

    fn new(context: &Arc<Context>, name: JobName, entry: Entry) -> Arc<Self> {
        let farm = Arc::clone(context.farm());
        let job = entry.record.status.job.clone();
        let entry = Arc::new(AsyncMutex::new(entry));
        let signal = Arc::new(Signal::new());
        lock(&context.begun).insert(name, Arc::clone(&signal));
        let follow = follow(Arc::clone(&farm), Arc::clone(&entry), Arc::clone(&signal), context.leases.third());
        let (follower, context) = (tokio::spawn(follow), Arc::clone(context));
        Arc::new(Self { name, job, signal, farm, entry, follower, context })
    }

    /// Ends the attempt by this change of the record. `None` if the job is lost: nothing is changed.
    pub(super) async fn end(&self, change: impl Fn(&mut Record)) -> Result<Option<Record>> {
        let mut entry = self.entry.lock().await;
        let steps = lock(&self.signal.steps).clone();
        let change = |record: &mut Record| {
            steps.write(record);
            change(record);
        };
        let written = write(&self.farm, &mut entry, change).await?;
        Ok(written.then(|| entry.record.clone()))
    }

    /// The record that this attempt has written or seen last.
    pub(super) async fn record(&self) -> Record {
        self.entry.lock().await.record.clone()
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.follower.abort();
        lock(&self.context.begun).remove(&self.name);
    }
}

/// Changes the record as long as it is this attempt's. Whether it was.
async fn write(farm: &Farm, entry: &mut Entry, change: impl Fn(&mut Record)) -> Result<bool> {
    loop {
        let mut next = entry.record.clone();
        next.touched = now();
        change(&mut next);
        if let Some(written) = farm.states.replace(next, entry.revision).await? {
            *entry = written;
            return Ok(true);
        }
        // Somebody else wrote: a proof that came late, perhaps, which is no loss of the job.
        if !look(farm, entry).await? {
            return Ok(false);
        }
    }
}

/// Reads the record again. Whether it is this attempt's still.
async fn look(farm: &Farm, entry: &mut Entry) -> Result<bool> {
    match farm.states.read(&entry.record.status.name).await? {
        Some(seen) if seen.record.same_attempt(&entry.record) => {
            *entry = seen;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Writes phases as they come, and looks at the record three times a lease, or when told: an attempt that has lost the
/// job stops.
async fn follow(farm: Arc<Farm>, entry: Arc<AsyncMutex<Entry>>, signal: Arc<Signal>, third: Duration) {
    let mut looked = Instant::now();
    loop {
        let told = tokio::select! {
            () = sleep(WRITE) => false,
            () = signal.look.notified() => true,
        };
        let new = signal.new.swap(false, Ordering::AcqRel);
        if !new && !told && looked.elapsed() < third {
            continue;
        }
        let mut entry = entry.lock().await;
        let steps = lock(&signal.steps).clone();
        let ours = if new {
            write(&farm, &mut entry, |record| steps.write(record)).await
        } else {
            look(&farm, &mut entry).await
        };
        match ours {
            Ok(true) => looked = Instant::now(),
            Ok(false) => {
                signal.stop();
                return;
            }
            Err(error) => {
                signal.new.fetch_or(new, Ordering::AcqRel);
                tracing::debug!("job {}: {error}", entry.record.status.name);
            }
        }
    }
}
