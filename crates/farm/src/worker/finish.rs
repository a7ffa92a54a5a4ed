//! The end of an attempt: the proof is verified, stored and published, or the job is tried again, or set aside.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::AckKind;
use bytes::Bytes;
use proof_format::text::bounded;
use tokio::time::timeout;

use super::attempt::Attempt;
use super::context::Context;
use super::lease::LeasedJob;
use crate::patience::{FOR_EVER, now};
use crate::state::{LateProof, Record, kept};
use crate::thread::lock;
use crate::{Digest, Error, Failure, JobProof, Result, State, Verify, thread};

/// The longest that a job waits for its next attempt.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Ends an attempt.
pub(super) async fn finish(
    context: Arc<Context>,
    attempt: Arc<Attempt>,
    taken: LeasedJob,
    outcome: Result<JobProof, Failure>,
) {
    let name = attempt.name;
    let ended = match outcome {
        Ok(JobProof { proof, verify, printed }) => match verified(&context, proof, verify).await {
            Ok(proof) => publish(&context, &attempt, &taken, proof, printed).await,
            Err(Fault::Again(error)) => again(&context, &attempt, &taken, error).await,
            Err(Fault::Aside(error)) => end(&context, &attempt, &taken, State::SetAside, error).await,
        },
        Err(Failure::Job(error)) => end(&context, &attempt, &taken, State::Failed, error).await,
        Err(Failure::Costly(error)) => end(&context, &attempt, &taken, State::SetAside, error).await,
        Err(Failure::Worker(error) | Failure::Memory(error)) => again(&context, &attempt, &taken, error).await,
        // Cancelled, or another worker's by now: the message is void, or not ours to answer.
        Err(Failure::Stopped) => Ok(()),
    };
    let ended = match ended {
        // To try again would end the same: it is set aside, with as little as can be said.
        Err(error @ Error::Never { .. }) => {
            let error = format!("worker `{}`: {error}", context.name());
            tracing::error!("job {name}: {error}");
            set_aside(&context, &attempt, &taken, error).await
        }
        ended => ended,
    };
    if let Err(error) = ended {
        // Its lease ends, and another worker makes the proof.
        tracing::error!("job {name}: {error}");
    }
}

enum Fault {
    /// This worker is at fault.
    Again(String),
    /// No worker would do better.
    Aside(String),
}

/// The proof, as bytes that were verified.
async fn verified(context: &Context, proof: Vec<u8>, verify: Verify) -> Result<Bytes, Fault> {
    let farm = context.farm();
    farm.proofs.check(proof.len() as u64).map_err(|error| Fault::Aside(error.to_string()))?;
    let proof = Bytes::from(proof);
    let bytes = proof.clone();
    let seconds = farm.options.limits.verify_seconds;
    let verdict = thread::run(move || verify(&bytes));
    match timeout(Duration::from_secs(seconds), verdict).await {
        Ok(Ok(Ok(()))) => Ok(proof),
        Ok(Ok(Err(error)) | Err(error)) => Err(Fault::Again(format!("the proof is not published: {error}"))),
        Err(_) => Err(Fault::Again(format!("its proof is not verified in {seconds} s, the farm's limit"))),
    }
}

/// Stores the proof, then says so. A proof of a job that was lost in between is compared with the one that is
/// published.
async fn publish(
    context: &Context,
    attempt: &Attempt,
    taken: &LeasedJob,
    proof: Bytes,
    printed: Option<String>,
) -> Result<()> {
    let farm = context.farm();
    let digest = Digest::of(&proof);
    // Nobody has stored it before the first attempt.
    let first = taken.delivered == 1;
    tokio::select! {
        stored = farm.patiently(FOR_EVER, || farm.proofs.put(&digest, &proof, first)) => stored?,
        () = attempt.signal.stopped() => return late(context, attempt, digest, &proof).await,
    }
    let done = |record: &mut Record| {
        record.end(State::Done, None);
        record.status.share = 1.0;
        record.status.proof = Some(digest);
        record.status.proof_bytes = Some(proof.len() as u64);
        record.status.printed = printed.as_deref().map(kept);
    };
    let Some(record) = farm.patiently(FOR_EVER, || attempt.end(done)).await? else {
        return late(context, attempt, digest, &proof).await;
    };
    lock(&context.face).done += 1;
    taken.answer(AckKind::Ack).await;
    let worker = context.name();
    for other in record.late.iter().filter(|other| other.proof != digest) {
        let raise = || farm.raise(attempt.name, (&worker, digest), (&other.worker, other.proof));
        farm.patiently(FOR_EVER, raise).await?;
    }
    Ok(())
}

/// A verified proof of a worker that has lost the job. It publishes nothing; a difference is an alarm, now or when
/// another is there.
async fn late(context: &Context, attempt: &Attempt, digest: Digest, proof: &Bytes) -> Result<()> {
    let farm = context.farm();
    let worker = context.name();
    tracing::info!("worker `{worker}` has lost job {}; its proof comes late", attempt.name);
    let tell = || async {
        loop {
            let Some(there) = farm.states.read(&attempt.name).await? else { return Ok(()) };
            let status = &there.record.status;
            match (status.state, status.proof) {
                (State::Done, Some(first)) => {
                    let of = status.worker.as_deref().unwrap_or_default();
                    // It may be this very proof, if the servers' answer was lost: then nobody has compared the others
                    // yet.
                    for other in there.record.late.iter().filter(|other| other.proof != first) {
                        farm.raise(attempt.name, (of, first), (&other.worker, other.proof)).await?;
                    }
                    if first != digest {
                        farm.proofs.put(&digest, proof, false).await?;
                        farm.raise(attempt.name, (of, first), (&worker, digest)).await?;
                    }
                    return Ok(());
                }
                (State::Queued | State::Running, _) => {
                    farm.proofs.put(&digest, proof, false).await?;
                    let mut next = there.record.clone();
                    next.late.push(LateProof { worker: worker.clone(), proof: digest });
                    if farm.states.replace(next, there.revision).await?.is_some() {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    };
    farm.patiently(FOR_EVER, tell).await
}

/// The job ends without a proof.
async fn end(context: &Context, attempt: &Attempt, taken: &LeasedJob, state: State, error: String) -> Result<()> {
    let farm = context.farm();
    lock(&context.face).failed += 1;
    let change = |record: &mut Record| record.end(state, Some(error.clone()));
    if farm.patiently(FOR_EVER, || attempt.end(change)).await?.is_some() {
        taken.answer(AckKind::Ack).await;
    }
    Ok(())
}

/// The job is set aside; its phases may have been too much to write.
async fn set_aside(context: &Context, attempt: &Attempt, taken: &LeasedJob, error: String) -> Result<()> {
    lock(&context.face).failed += 1;
    let change = |record: &mut Record| {
        record.end(State::SetAside, Some(error.clone()));
        record.status.phases.clear();
    };
    if context.farm().patiently(FOR_EVER, || attempt.end(change)).await?.is_some() {
        taken.answer(AckKind::Ack).await;
    }
    Ok(())
}

/// The job is tried again after a while, unless that was the last attempt.
async fn again(context: &Context, attempt: &Attempt, taken: &LeasedJob, error: String) -> Result<()> {
    let farm = context.farm();
    let options = &farm.options;
    let attempts = attempt.record().await.status.attempts;
    let error = format!("attempt {attempts} by worker `{}`: {error}", context.name());
    tracing::warn!("job {}: {error}", attempt.name);
    if attempts >= options.attempts {
        return end(context, attempt, taken, State::SetAside, error).await;
    }
    lock(&context.face).failed += 1;
    let change = |record: &mut Record| {
        record.queue();
        record.status.error = Some(bounded(&error).into_owned());
        record.touched = now();
    };
    if farm.patiently(FOR_EVER, || attempt.end(change)).await?.is_some() {
        taken.answer(AckKind::Nak(Some(wait(options.back_off, attempts)))).await;
    }
    Ok(())
}

/// How long a job waits after `attempts` attempts.
fn wait(back_off: Duration, attempts: u32) -> Duration {
    back_off.saturating_mul(1 << attempts.saturating_sub(1).min(20)).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_five_minutes() {
        let second = Duration::from_secs(1);
        assert_eq!([1, 2, 3, 9, 10, u32::MAX].map(|n| wait(second, n).as_secs()), [1, 2, 4, 256, 300, 300]);
    }
}
