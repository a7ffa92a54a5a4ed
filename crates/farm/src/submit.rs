//! Submissions to a farm, and their plans.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::patience::FOR_EVER;
use crate::planning::{Place, PlanCost, PlanGuard, part};
use crate::state::{Entry, LateProof, Record};
use crate::{Client, Error, Job, JobName, Prover, Requirements, Result, State, Status, Submission};

/// How long a job waits for its turn to be planned, if its submitter waits for an answer.
const PLACE: Duration = Duration::from_secs(5);

/// Why a job was not submitted; its name, if it was being planned.
struct Refusal {
    name: Option<JobName>,
    error: Error,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { name: None, error }
    }
}

impl Client {
    /// Submits a job, in normal form and with its needs, both by the prover. A job that is there is returned as it is;
    /// one that failed, was set aside or cancelled, or whose proof is gone, is queued again.
    ///
    /// # Errors
    /// [`Error::Refused`] for something that is no job, [`Error::Limit`] if too many wait.
    pub async fn submit(&self, prover: &Arc<dyn Prover>, submission: Submission) -> Result<Status> {
        let submitted = self.submit_named(prover, submission, self.plan_limit()).await;
        Ok(submitted.map_err(|refusal| refusal.error)?.0)
    }

    /// As [`Self::submit`], for so long, and whether it was queued now, rather than being there already. When the time
    /// is over, the submitter is told to come again: a plan that was begun goes on, is not begun twice, and queues the
    /// job.
    pub(crate) async fn submit_within(
        &self,
        prover: &Arc<dyn Prover>,
        submission: Submission,
        most: Duration,
    ) -> Result<(Status, bool)> {
        let (client, prover) = (self.clone(), Arc::clone(prover));
        let (tell, told) = oneshot::channel();
        tokio::spawn(async move {
            if let Err(Err(Refusal { name: Some(name), error: Error::Refused(why) })) =
                tell.send(client.submit_named(&prover, submission, PLACE).await)
            {
                client.planning.refuse(name, why);
            }
        });
        match timeout(most, told).await {
            Ok(Ok(submitted)) => submitted.map_err(|refusal| refusal.error),
            Ok(Err(error)) => Err(Error::Refused(error.to_string())),
            Err(_) => Err(Error::Planning(format!("its plan is not made in {} s, and goes on", most.as_secs_f64()))),
        }
    }

    /// As [`Self::submit`], and whether it was queued now, rather than being there already; it waits so long for its
    /// turn to be planned. An error comes with the job's name, if it was being planned.
    async fn submit_named(
        &self,
        prover: &Arc<dyn Prover>,
        submission: Submission,
        wait: Duration,
    ) -> Result<(Status, bool), Refusal> {
        self.check(&submission.job)?;
        let until = Instant::now() + wait;
        let sort = self.sort(prover, &submission.job, until).await?;
        let place = self.planning.place(sort, until).await?;
        let (normalising, asked) = (Arc::clone(prover), submission.job);
        let job = part(place, self.plan_limit(), move || normalising.normal(&asked)).await?;
        self.check(&job)?;
        // Waiting for somebody else's plan of the job takes no place.
        let turn = self.planning.turn(job.name(), until).await?;
        if let Some(status) = self.stays(&job.name()).await? {
            return Ok((status, false));
        }
        let place = self.planning.place(sort, until).await?;
        let inputs = self.inputs(&job).await?;
        let name = Some(job.name());
        let planned = self.plan(prover, Submission { job, ..submission }, inputs, (place, turn)).await;
        planned.map_err(|error| Refusal { name, error })
    }

    async fn sort(&self, prover: &Arc<dyn Prover>, job: &Job, until: Instant) -> Result<PlanCost> {
        let (prover, of) = (Arc::clone(prover), job.clone());
        self.planning.sort(job, (until, self.plan_limit()), move || prover.is_costly(&of)).await
    }

    fn plan_limit(&self) -> Duration {
        Duration::from_secs(self.farm.options.limits.plan_seconds).min(FOR_EVER)
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
        let until = Instant::now() + self.plan_limit();
        let turn = self.planning.turn(submission.job.name(), until).await?;
        let sort = self.sort(prover, &submission.job, until).await?;
        let place = self.planning.place(sort, until).await?;
        Ok(self.plan(prover, submission, inputs, (place, turn)).await?.0)
    }

    /// Plans a job in normal form, and queues it.
    async fn plan(
        &self,
        prover: &Arc<dyn Prover>,
        submission: Submission,
        inputs: BTreeMap<String, Bytes>,
        (place, turn): (Place, PlanGuard),
    ) -> Result<(Status, bool)> {
        let (planning, normal) = (Arc::clone(prover), submission.job.clone());
        let needs = part(place, self.plan_limit(), move || planning.needs(&normal, &inputs)).await?;
        let record = Record::new(submission, needs);
        let queued = self.patiently(|| self.enqueue(&record)).await;
        // Submissions from now on find it.
        drop(turn);
        queued
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
    /// As there. Whether its inputs are there is not looked at. After [`Error::Server`] the job may have been
    /// submitted; once more does no harm.
    pub async fn submit_normal(&self, submission: Submission, needs: Requirements) -> Result<Status> {
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

    /// The state is written first: a message without a state would be nobody's, a state without a message is found and
    /// queued. Whether it is queued now is the second.
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

    /// A job that was submitted before. `None` if another changed it in between.
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
        late.extend(status.proof.map(|proof| LateProof { worker, proof }));
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
}
