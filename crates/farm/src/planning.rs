//! Who plans jobs: few at a time, and those that are cheap to plan beside the others.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::thread::lock;
use crate::{Error, Job, JobName, Result, thread};

/// Jobs that a client plans at a time, of either sort.
const PLACES: usize = 2;

/// Places for plans. A plan takes time and memory that whoever submits a job decides, so there are few; who gives up waiting for a plan
/// frees nothing until it is made. Jobs without inputs, whose plans are a matter of sizes, have places of their own beside those with
/// inputs, which may be programs that are run.
pub(crate) struct Planning {
    sizes: Arc<Semaphore>,
    inputs: Arc<Semaphore>,
    /// Jobs whose plans are being made.
    now: Mutex<BTreeSet<JobName>>,
    /// Jobs that were refused lately, and why: whoever had no time to wait for that hears it when he comes again.
    refused: Mutex<VecDeque<(JobName, String)>>,
}

/// How often whoever waits for a turn looks.
const LOOK: Duration = Duration::from_millis(20);
/// Refusals that are kept.
const REFUSED: usize = 64;

/// A job that nobody else plans as long as this is there.
pub(crate) struct Turn {
    planning: Arc<Planning>,
    name: JobName,
}

impl Drop for Turn {
    fn drop(&mut self) {
        lock(&self.planning.now).remove(&self.name);
    }
}

impl Planning {
    pub(crate) fn new() -> Self {
        let places = || Arc::new(Semaphore::new(PLACES));
        Self { sizes: places(), inputs: places(), now: Mutex::default(), refused: Mutex::default() }
    }

    /// A job was refused when it was planned.
    pub(crate) fn refuse(&self, name: JobName, why: String) {
        let mut refused = lock(&self.refused);
        refused.push_back((name, why));
        if refused.len() > REFUSED {
            refused.pop_front();
        }
    }

    /// A place for a job's plan, if one is free until then.
    pub(crate) async fn place(&self, job: &Job, until: Instant) -> Result<OwnedSemaphorePermit> {
        let places = if job.inputs.is_empty() { &self.sizes } else { &self.inputs };
        match timeout_at(until, Arc::clone(places).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(error)) => Err(Error::Refused(error.to_string())),
            Err(_) => Err(Error::Planning(format!("{PLACES} others are, which is as many as there may be"))),
        }
    }

    /// The right to plan this job, when nobody else has it. A refusal that nobody has heard is said first, once.
    pub(crate) async fn turn(self: &Arc<Self>, name: JobName, until: Instant) -> Result<Turn> {
        loop {
            let heard = {
                let mut refused = lock(&self.refused);
                refused.iter().position(|(of, _)| *of == name).and_then(|at| refused.remove(at))
            };
            if let Some((_, why)) = heard {
                return Err(Error::Refused(why));
            }
            if lock(&self.now).insert(name) {
                return Ok(Turn { planning: Arc::clone(self), name });
            }
            if Instant::now() >= until {
                return Err(Error::Planning(format!("a plan of {name} is being made")));
            }
            sleep(LOOK).await;
        }
    }
}

/// Does a part of a plan, on a thread of its own that holds the place until it is done, whoever waits for it, and hands it back.
pub(crate) async fn part<T: Send + 'static>(
    place: OwnedSemaphorePermit,
    limit: Duration,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<(T, OwnedSemaphorePermit)> {
    let done = thread::run(move || work().map(|done| (done, place)));
    match timeout(limit, done).await {
        Ok(done) => done.and_then(|done| done).map_err(Error::Refused),
        Err(_) => Err(Error::Refused(format!(
            "it is not planned in {} s, which `--plan-seconds` of whoever plans it allows",
            limit.as_secs_f64()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;

    #[tokio::test]
    async fn cheap_jobs_are_planned_beside_slow_ones() {
        let planning = Arc::new(Planning::new());
        let cheap = Job { kind: "toy".into(), words: [].into(), inputs: [].into() };
        let costly = Job { inputs: [("program".to_owned(), Digest::of(b""))].into(), ..cheap.clone() };
        let soon = || Instant::now() + Duration::from_millis(20);
        let slow = |place| {
            part(place, Duration::from_millis(20), || {
                std::thread::sleep(Duration::from_millis(400));
                Ok(())
            })
        };
        for _ in 0..PLACES {
            let place = planning.place(&costly, soon()).await.unwrap();
            let refused = slow(place).await.map(drop).unwrap_err().to_string();
            assert!(refused.contains("--plan-seconds"), "{refused}");
        }
        // Their threads go on, and hold their places.
        let busy = planning.place(&costly, soon()).await.map(drop);
        assert!(matches!(busy, Err(Error::Planning(_))), "{busy:?}");
        let place = planning.place(&cheap, soon()).await.unwrap();
        assert_eq!(part(place, Duration::from_secs(5), || Ok(7)).await.unwrap().0, 7);
        // When they have ended, there are places again.
        drop(planning.place(&costly, Instant::now() + Duration::from_secs(10)).await.unwrap());
    }

    #[tokio::test]
    async fn a_job_is_planned_once_at_a_time() {
        let planning = Arc::new(Planning::new());
        let turn = |of: &[u8]| {
            let (planning, name) = (Arc::clone(&planning), Digest::of(of));
            async move { planning.turn(name, Instant::now() + Duration::from_millis(30)).await }
        };
        let first = turn(b"a").await.unwrap();
        assert!(matches!(turn(b"a").await, Err(Error::Planning(_))));
        drop(turn(b"b").await.unwrap());
        drop(first);
        drop(turn(b"a").await.unwrap());
        // What was refused when nobody waited any more is said once.
        planning.refuse(Digest::of(b"a"), "too large".into());
        let refused = turn(b"a").await.map(drop).unwrap_err().to_string();
        assert!(refused.contains("too large"), "{refused}");
        turn(b"a").await.unwrap();
    }
}
