//! Plans of jobs: few at a time, and cheap ones beside the others.

use std::collections::{BTreeSet, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::thread::lock;
use crate::{Error, Job, JobName, Result, thread};

/// Jobs of a sort that a client plans at a time.
const PLACES: usize = 2;
/// A plan that takes longer than this was no cheap one.
const QUICK: Duration = Duration::from_secs(1);

/// The cost of a plan, as far as it is known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanCost {
    /// Milliseconds.
    Cheap,
    /// Seconds, of a core and of hundreds of megabytes, by the prover's judgement of the job.
    Costly,
    /// As long as a program runs, which may be among the inputs.
    WithInputs,
}

/// Places for plans. The submitter of a job decides the time and memory of its plan, so there are few at a time; giving
/// up waiting for a plan frees nothing until it is made. Each sort has its own, so that a cheap job is planned beside
/// any number of others. A plan that turns out to be costly moves to the costly ones, as soon as they have a place: no
/// more are planned than all sorts have places.
pub(crate) struct Planning {
    cheap: Arc<Semaphore>,
    costly: Arc<Semaphore>,
    inputs: Arc<Semaphore>,
    /// Jobs whose plans are being made.
    now: Mutex<BTreeSet<JobName>>,
    /// Jobs that were refused lately, and why: a client that had no time to wait for the reason hears it when it comes
    /// again.
    refused: Mutex<VecDeque<(JobName, String)>>,
}

/// How often a task that waits for a turn looks.
const LOOK: Duration = Duration::from_millis(20);
/// Refusals that are kept.
const REFUSED: usize = 64;

/// A job that nobody else plans as long as this is there.
pub(crate) struct PlanGuard {
    planning: Arc<Planning>,
    name: JobName,
}

impl Drop for PlanGuard {
    fn drop(&mut self) {
        lock(&self.planning.now).remove(&self.name);
    }
}

/// A place for a plan.
pub(crate) struct Place {
    held: OwnedSemaphorePermit,
    /// Where it moves if the plan takes long.
    later: Option<Arc<Semaphore>>,
}

impl Planning {
    pub(crate) fn new() -> Self {
        let places = || Arc::new(Semaphore::new(PLACES));
        Self { cheap: places(), costly: places(), inputs: places(), now: Mutex::default(), refused: Mutex::default() }
    }

    /// A job was refused when it was planned.
    pub(crate) fn refuse(&self, name: JobName, why: String) {
        let mut refused = lock(&self.refused);
        refused.push_back((name, why));
        if refused.len() > REFUSED {
            refused.pop_front();
        }
    }

    /// The cost of a job's plan. `is_costly` is asked where it says so, in the place of a cheap plan.
    pub(crate) async fn sort(
        &self,
        job: &Job,
        (until, limit): (Instant, Duration),
        is_costly: impl FnOnce() -> bool + Send + 'static,
    ) -> Result<PlanCost> {
        if !job.inputs.is_empty() {
            return Ok(PlanCost::WithInputs);
        }
        let place = self.place(PlanCost::Cheap, until).await?;
        let is_costly = part(place, limit, move || Ok(is_costly())).await?;
        Ok(if is_costly { PlanCost::Costly } else { PlanCost::Cheap })
    }

    /// A place for a plan, if one is free until then.
    pub(crate) async fn place(&self, sort: PlanCost, until: Instant) -> Result<Place> {
        let (places, later) = match sort {
            PlanCost::Cheap => (&self.cheap, Some(Arc::clone(&self.costly))),
            PlanCost::Costly => (&self.costly, None),
            PlanCost::WithInputs => (&self.inputs, None),
        };
        match timeout_at(until, Arc::clone(places).acquire_owned()).await {
            Ok(Ok(held)) => Ok(Place { held, later }),
            Ok(Err(error)) => Err(Error::Refused(error.to_string())),
            Err(_) => {
                Err(Error::Planning(format!("{PLACES} others of its sort are, which is as many as there may be")))
            }
        }
    }

    /// The right to plan this job, when nobody else has it. An unheard refusal is told first, once.
    pub(crate) async fn turn(self: &Arc<Self>, name: JobName, until: Instant) -> Result<PlanGuard> {
        loop {
            let heard = {
                let mut refused = lock(&self.refused);
                refused.iter().position(|(of, _)| *of == name).and_then(|at| refused.remove(at))
            };
            if let Some((_, why)) = heard {
                return Err(Error::Refused(why));
            }
            if lock(&self.now).insert(name) {
                return Ok(PlanGuard { planning: Arc::clone(self), name });
            }
            if Instant::now() >= until {
                return Err(Error::Planning(format!("a plan of {name} is being made")));
            }
            sleep(LOOK).await;
        }
    }
}

/// Does a part of a plan, on a thread of its own that holds the place until it is done, even if nobody waits any more.
pub(crate) async fn part<T: Send + 'static>(
    Place { held, later }: Place,
    limit: Duration,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T> {
    // The thread alone keeps it.
    let held = Arc::new(Mutex::new(held));
    let place = Arc::downgrade(&held);
    let mut done = pin!(thread::run(move || {
        let done = work();
        drop(held);
        done
    }));
    let quick = QUICK.min(limit);
    let mut ended = timeout(quick, &mut done).await;
    if ended.is_err() {
        if let Some(later) = later {
            tokio::spawn(move_to(later, place));
        }
        ended = timeout(limit - quick, done).await;
    }
    match ended {
        Ok(done) => done.and_then(|done| done).map_err(Error::Refused),
        Err(_) => Err(Error::Refused(format!(
            "it is not planned in {} s, which `--plan-seconds` of whoever plans it allows",
            limit.as_secs_f64()
        ))),
    }
}

/// Exchanges a place for one of the other sort when it has one, if the place is still held.
async fn move_to(places: Arc<Semaphore>, place: Weak<Mutex<OwnedSemaphorePermit>>) {
    if let Ok(other) = places.acquire_owned().await
        && let Some(place) = place.upgrade()
    {
        *lock(&place) = other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;

    const LONG: Duration = Duration::from_secs(10);

    fn job(word: &str) -> Job {
        Job { kind: "toy".into(), words: [(word.to_owned(), String::new())].into(), inputs: [].into() }
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(20)
    }

    /// The sort of a job that the prover thinks costly or not.
    async fn sort(planning: &Planning, job: &Job) -> Result<PlanCost> {
        let is_costly = job.words.contains_key("costly");
        planning.sort(job, (soon(), LONG), move || is_costly).await
    }

    #[tokio::test]
    async fn cheap_jobs_are_planned_beside_slow_ones() {
        let planning = Arc::new(Planning::new());
        let cheap = job("cheap");
        let with_inputs = Job { inputs: [("program".to_owned(), Digest::of(b""))].into(), ..cheap.clone() };
        let slow = |place| {
            part(place, Duration::from_millis(20), || {
                std::thread::sleep(Duration::from_millis(400));
                Ok(())
            })
        };
        let other = [with_inputs, job("costly")];
        for other in &other {
            let of = sort(&planning, other).await.unwrap();
            for _ in 0..PLACES {
                let place = planning.place(of, soon()).await.unwrap();
                let refused = slow(place).await.unwrap_err().to_string();
                assert!(refused.contains("--plan-seconds"), "{refused}");
            }
            // Their threads go on, and hold their places.
            let busy = planning.place(of, soon()).await.map(drop);
            assert!(matches!(busy, Err(Error::Planning(_))), "{busy:?}");
        }
        // Any number of others waits.
        let wait = |planning: Arc<Planning>| async move {
            planning.place(PlanCost::Costly, Instant::now() + LONG).await.map(drop)
        };
        let waiting: Vec<_> = (0..50).map(|_| tokio::spawn(wait(Arc::clone(&planning)))).collect();
        let of = sort(&planning, &cheap).await.unwrap();
        assert_eq!(of, PlanCost::Cheap);
        let place = planning.place(of, soon()).await.unwrap();
        assert_eq!(part(place, Duration::from_secs(5), || Ok(7)).await.unwrap(), 7);
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
        // When they have ended, there are places again.
        for other in &other {
            let of = sort(&planning, other).await.unwrap();
            drop(planning.place(of, Instant::now() + LONG).await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_plan_that_is_found_to_be_slow_leaves_the_cheap_ones() {
        let planning = Arc::new(Planning::new());
        let begin = |place| {
            let (stop, stopped) = std::sync::mpsc::channel::<()>();
            let plan = tokio::spawn(part(place, LONG, move || {
                stopped.recv().unwrap_err();
                Ok(())
            }));
            (stop, plan)
        };
        let mut plans = Vec::new();
        // As many as all have places, though nobody said that they are costly.
        for _ in 0..2 * PLACES {
            plans.push(begin(planning.place(PlanCost::Cheap, Instant::now() + LONG).await.unwrap()));
        }
        // No more are planned at a time, however long they take.
        sleep(QUICK * 2).await;
        for of in [PlanCost::Cheap, PlanCost::Costly] {
            let busy = planning.place(of, soon()).await.map(drop);
            assert!(matches!(busy, Err(Error::Planning(_))), "{of:?}: {busy:?}");
        }
        // One that moved ends, and the next one moves.
        drop(plans.remove(0));
        drop(planning.place(PlanCost::Cheap, Instant::now() + LONG).await.unwrap());
        for (stop, plan) in plans {
            drop(stop);
            plan.await.unwrap().unwrap();
        }
        // All places are free again.
        for of in [PlanCost::Cheap, PlanCost::Cheap, PlanCost::Costly, PlanCost::Costly]
            .map(|of| planning.place(of, Instant::now() + LONG))
        {
            std::mem::forget(of.await.unwrap());
        }
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
        // A refusal that nobody waited for is told once.
        planning.refuse(Digest::of(b"a"), "too large".into());
        let refused = turn(b"a").await.map(drop).unwrap_err().to_string();
        assert!(refused.contains("too large"), "{refused}");
        turn(b"a").await.unwrap();
    }
}
