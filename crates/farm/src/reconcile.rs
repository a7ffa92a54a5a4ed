//! Jobs that wait or run and have no message: the submitting client died in between, or servers have lost it. They get
//! a new one.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::kv::{CreateErrorKind, UpdateErrorKind};
use tokio::time::sleep;

use crate::Result;
use crate::connection::Farm;
use crate::patience::{now, server};

/// The turn to look: the key's value names the server that looked last, its revision has the time.
const TURN: &str = "reconciler";

/// Looks for them once in two leases, on behalf of all workers.
pub(crate) async fn now_and_then(farm: Arc<Farm>, worker: String) {
    let every = farm.options.lease * 2;
    loop {
        // Not all at once, and not all in the same order.
        let part = crate::Digest::of(format!("{worker} {}", now()).as_bytes()).first();
        sleep(every / 2 + every / 2 * u32::from(part) / 256).await;
        match my_turn(&farm, &worker, every).await {
            Ok(true) => match reconcile(&farm).await {
                Ok(0) => {}
                Ok(found) => tracing::warn!("{found} jobs had no message: they are queued again"),
                Err(error) => tracing::warn!("{error}"),
            },
            Ok(false) => {}
            Err(error) => tracing::debug!("{error}"),
        }
    }
}

/// Whether nobody has looked for so long, and this worker is the first to say that it does.
async fn my_turn(farm: &Farm, worker: &str, every: Duration) -> Result<bool> {
    let error = server("the reconciler's turn");
    let value = worker.to_owned().into_bytes();
    match farm.workers.entry(TURN).await.map_err(|error| server("the reconciler's turn")(error))? {
        None => match farm.workers.create(TURN, value.into()).await {
            Ok(_) => Ok(true),
            Err(other) if other.kind() == CreateErrorKind::AlreadyExists => Ok(false),
            Err(other) => Err(error(other)),
        },
        Some(entry) => {
            let last = u64::try_from(entry.created.unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
            if last + u64::try_from(every.as_millis() / 2).unwrap_or(u64::MAX) > now() {
                return Ok(false);
            }
            match farm.workers.update(TURN, value.into(), entry.revision).await {
                Ok(_) => Ok(true),
                Err(other) if other.kind() == UpdateErrorKind::WrongLastRevision => Ok(false),
                Err(other) => Err(server("the reconciler's turn")(other)),
            }
        }
    }
}

/// Gives a message to each job that has none for a lease, and renews the states and inputs of jobs that have waited for
/// half of the time that states are kept. How many had none.
async fn reconcile(farm: &Farm) -> Result<usize> {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    // Messages first: a job that is queued after that is young.
    let with_message = farm.queue.jobs().await?;
    let mut found = 0;
    for entry in farm.states.all().await? {
        let record = &entry.record;
        let age = now().saturating_sub(record.touched);
        if record.status.state.is_final() {
            continue;
        }
        if with_message.contains(&record.status.name) {
            if age > millis(farm.options.keep / 2) {
                for input in record.status.job.inputs.values() {
                    farm.inputs.refresh(input).await?;
                }
                let mut next = record.clone();
                next.touched = now();
                farm.states.replace(next, entry.revision).await?;
            }
        } else if age > millis(farm.options.lease) {
            // Its worker loses it; if it has changed since, it is not lost.
            if let Some(entry) = farm.states.replace(record.with_new_message(), entry.revision).await? {
                match farm.queue.publish(&entry).await {
                    Ok(()) => found += 1,
                    // The others are not to wait for this one: it is found again.
                    Err(error) => tracing::warn!("job {}: {error}", entry.record.status.name),
                }
            }
        }
    }
    Ok(found)
}
