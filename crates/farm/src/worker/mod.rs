//! A worker: one device, one job on it at a time. While it proves, the next jobs are taken and the last proofs are
//! published.

mod attempt;
mod context;
mod finish;
mod judge;
mod lanes;
mod lease;
mod signal;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::AckKind;
use futures_util::StreamExt as _;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use self::attempt::Attempt;
use self::context::Context;
use self::lanes::Lanes;
use self::lease::{LeasedJob, Leases};
use crate::patience::now;
use crate::thread::lock;
use crate::{Client, Error, Failure, JobName, JobProof, Prover, Result, Worker, thread};

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name, which no other has: host and device.
    pub name: String,
    /// How often it looks for jobs that it was not told of, when it has none.
    pub poll: Duration,
    /// It takes jobs ahead for this long. Longer jobs are left to others.
    pub ahead: Duration,
    /// It takes at most this many ahead.
    pub most_ahead: usize,
    /// The number of proofs that may wait to be published before it stops to make more.
    pub unpublished: usize,
}

impl WorkerOptions {
    /// The usual ones, under this name.
    pub fn new(name: impl Into<String>) -> Self {
        let (poll, ahead) = (Duration::from_secs(1), Duration::from_millis(250));
        Self { name: name.into(), poll, ahead, most_ahead: 32, unpublished: 8 }
    }
}

/// A worker's results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Proofs that it published.
    pub done: u64,
    /// Attempts of it that failed.
    pub failed: u64,
}

/// Works until `stop` is ready: then it finishes the jobs that it has begun, gives back jobs that it has only taken,
/// and takes no more.
///
/// # Errors
/// [`Error::Options`] for a name that is none; [`Error::Stuck`] if the prover does not come back: its device is lost
/// until the process ends. Servers that are away and failed proofs are no errors: it goes on.
pub async fn run_worker(
    client: Client,
    prover: Arc<dyn Prover>,
    options: WorkerOptions,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<Summary> {
    if options.name.is_empty() || options.name.len() > 128 || options.name.chars().any(char::is_control) {
        return Err(Error::Options(format!("the worker's name {:?} is not 1 to 128 printed letters", options.name)));
    }
    let at = now();
    let face = Worker {
        name: options.name.clone(),
        device: prover.device(),
        room: prover.room(),
        job: None,
        done: 0,
        failed: 0,
        begun: at,
        seen: at,
        draining: false,
        waits: None,
    };
    let leases = Arc::new(Leases::new(client.options().lease));
    let context = Arc::new(Context { client, prover, leases, face: Mutex::new(face), begun: Mutex::default() });
    let (tell_stop, stopped) = watch::channel(false);
    // They end with this function.
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        stop.await;
        tell_stop.send_replace(true);
        // The channel stays open until the worker has ended.
        std::future::pending::<()>().await;
    });
    tasks.spawn(Arc::clone(&context.leases).renew());
    tasks.spawn(heart(Arc::clone(&context)));
    tasks.spawn(hear_of_cancellations(Arc::clone(&context)));
    tasks.spawn(crate::reconcile::now_and_then(Arc::clone(context.farm()), options.name.clone()));
    let mut floor = Floor {
        lanes: Lanes::new(Arc::clone(&context)).await?,
        hand: VecDeque::new(),
        mean: None,
        unpublished: Arc::new(Semaphore::new(options.unpublished.max(1))),
        context: Arc::clone(&context),
        options,
        stopped,
    };
    let worked = floor.work().await;
    floor.clear_up().await;
    if let Err(error) = context.farm().leave(&context.name()).await {
        tracing::debug!("{error}");
    }
    let face = lock(&context.face).clone();
    worked.map(|()| Summary { done: face.done, failed: face.failed })
}

/// Says three times a lease that the worker is there.
async fn heart(context: Arc<Context>) {
    loop {
        context.tell().await;
        sleep(context.leases.third()).await;
    }
}

/// A cancelled job stops as soon as its prover asks whether to go on.
async fn hear_of_cancellations(context: Arc<Context>) {
    let farm = context.farm();
    let mut told = loop {
        match farm.nats.subscribe(farm.names.cancelled()).await {
            Ok(told) => break told,
            Err(_) => sleep(Duration::from_secs(1)).await,
        }
    };
    while let Some(message) = told.next().await {
        let name = std::str::from_utf8(&message.payload).ok().and_then(|text| text.parse::<JobName>().ok());
        if let Some(signal) = name.and_then(|name| lock(&context.begun).get(&name).cloned()) {
            signal.look();
        }
    }
}

/// Where the work is done.
struct Floor {
    context: Arc<Context>,
    options: WorkerOptions,
    stopped: watch::Receiver<bool>,
    lanes: Lanes,
    /// Jobs that are taken and not begun.
    hand: VecDeque<LeasedJob>,
    /// How long proofs take, of late.
    mean: Option<Duration>,
    unpublished: Arc<Semaphore>,
}

impl Floor {
    async fn work(&mut self) -> Result<()> {
        while !*self.stopped.borrow() {
            let Some(taken) = self.hand.pop_front() else {
                self.take_or_wait().await;
                continue;
            };
            let permit = Arc::clone(&self.unpublished).acquire_owned().await;
            let permit = permit.map_err(|error| Error::Refused(error.to_string()))?;
            let attempt = match Attempt::begin(&self.context, &taken).await {
                Ok(Some(attempt)) => attempt,
                Ok(None) => continue,
                Err(error @ Error::Never { .. }) => {
                    // Another worker may be allowed to. It comes back, to whomever.
                    tracing::error!("worker `{}`: {error}", self.options.name);
                    taken.answer(AckKind::Nak(Some(finish::LONGEST_WAIT))).await;
                    continue;
                }
                Err(error) => {
                    // It is kept, and begun when the servers are back.
                    tracing::warn!("worker `{}`: {error}", self.options.name);
                    self.hand.push_front(taken);
                    self.pause(Duration::from_millis(500)).await;
                    continue;
                }
            };
            let (outcome, stuck) = self.prove(&attempt).await;
            let done = finish::finish(Arc::clone(&self.context), Arc::clone(&attempt), taken, outcome);
            if stuck {
                done.await;
                return Err(Error::Stuck { worker: self.options.name.clone(), name: attempt.name });
            }
            tokio::spawn(async move {
                done.await;
                drop(permit);
            });
        }
        Ok(())
    }

    /// How many jobs it is worth to take ahead.
    fn ahead(&self) -> usize {
        let mean = self.mean.map_or(f64::INFINITY, |mean| mean.as_secs_f64().max(1e-4));
        ((self.options.ahead.as_secs_f64() / mean) as usize).min(self.options.most_ahead)
    }

    async fn pause(&mut self, time: Duration) {
        // Either way it goes on.
        drop(timeout(time, self.stopped.wait_for(|stop| *stop)).await);
    }

    async fn take_or_wait(&mut self) {
        let most = 1 + self.ahead();
        match self.lanes.take(most).await {
            Ok(taken) if taken.is_empty() => {
                lock(&self.context.face).job = None;
                let mut stopped = self.stopped.clone();
                tokio::select! {
                    () = self.lanes.bell() => {}
                    () = sleep(self.options.poll) => {}
                    _ = stopped.wait_for(|stop| *stop) => {}
                }
            }
            Ok(taken) => self.hand.extend(taken),
            Err(error) => {
                tracing::warn!("worker `{}`: {error}", self.options.name);
                self.pause(self.options.poll).await;
            }
        }
    }

    /// Proves; in the meantime it takes the next jobs. The second says that the prover did not come back.
    async fn prove(&mut self, attempt: &Arc<Attempt>) -> (Result<JobProof, Failure>, bool) {
        lock(&self.context.face).job = Some(attempt.name);
        let inputs = match self.context.client.inputs(&attempt.job).await {
            Ok(inputs) => inputs,
            // Another worker may reach another server; after some attempts the job is set aside.
            Err(error) => return (Err(Failure::Worker(error.to_string())), false),
        };
        let (prover, one) = (Arc::clone(&self.context.prover), Arc::clone(attempt));
        let begun = Instant::now();
        let proof = thread::run(move || {
            let proof = prover.prove(&one.job, &inputs, &|step| one.signal.step(step));
            (proof, begun.elapsed())
        });
        let mut proof = std::pin::pin!(proof);
        let seconds = self.context.client.options().limits.prove_seconds;
        let limit = Duration::from_secs(seconds);
        let ahead = self.ahead();
        // The jobs in hand wait for this proof no longer than they should have to.
        let hostage = (self.options.ahead * 2).min(limit);
        let (first, next) = tokio::join!(timeout(hostage, &mut proof), async {
            if self.hand.len() > ahead / 2 || *self.stopped.borrow() {
                return Ok(Vec::new());
            }
            self.lanes.take(ahead - self.hand.len()).await
        });
        match next {
            Ok(next) => self.hand.extend(next),
            Err(error) => tracing::warn!("worker `{}`: {error}", self.options.name),
        }
        let first = match first {
            Ok(came) => Ok(came),
            Err(_) => {
                self.give_back().await;
                timeout(limit.saturating_sub(hostage), &mut proof).await
            }
        };
        let (came, late) = match first {
            Ok(came) => (Some(came), false),
            Err(_) => {
                // One that looks at `follow` stops; another is stuck.
                attempt.signal.stop();
                (timeout(limit.min(Duration::from_secs(5)), &mut proof).await.ok(), true)
            }
        };
        let over = format!("no proof in {seconds} s, which `--prove-seconds` of the worker allows");
        match came {
            None => (Err(Failure::Worker(over)), true),
            Some(_) if late => (Err(Failure::Costly(over)), false),
            Some(Err(panic)) => (Err(Failure::Worker(panic)), false),
            Some(Ok((proof, took))) => {
                self.mean = Some(self.mean.map_or(took, |mean| (mean * 7 + took) / 8));
                (proof, false)
            }
        }
    }

    /// Gives back jobs that are not begun.
    async fn give_back(&mut self) {
        for taken in self.hand.drain(..) {
            taken.answer(AckKind::Nak(None)).await;
        }
    }

    /// Gives back jobs that are not begun, and waits for the others.
    async fn clear_up(&mut self) {
        lock(&self.context.face).draining = true;
        self.context.tell().await;
        self.give_back().await;
        let all = u32::try_from(self.options.unpublished.max(1)).unwrap_or(u32::MAX);
        // It is never closed.
        drop(self.unpublished.acquire_many(all).await);
    }
}
