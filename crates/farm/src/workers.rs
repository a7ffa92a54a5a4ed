//! The workers of a farm.

use crate::connection::Farm;
use crate::patience::{now, server};
use crate::state::{bytes, parse, scan};
use crate::{Digest, Result, Worker};

/// Keys of workers begin so. Their names are people's choice, keys are not.
const WORKER: &str = "worker.";

impl Farm {
    /// Tells the others of a worker.
    pub(crate) async fn tell(&self, worker: &Worker) -> Result<()> {
        let key = format!("{WORKER}{}", Digest::of(worker.name.as_bytes()));
        self.workers.put(&key, bytes(worker)?).await.map_err(server("a worker's state"))?;
        Ok(())
    }

    /// A worker has ended.
    pub(crate) async fn leave(&self, name: &str) -> Result<()> {
        let key = format!("{WORKER}{}", Digest::of(name.as_bytes()));
        self.workers.delete(&key).await.map_err(server("a worker's state"))
    }

    /// The workers that were heard of in the last three leases, by name.
    pub(crate) async fn all_workers(&self) -> Result<Vec<Worker>> {
        let since = now().saturating_sub(3 * u64::try_from(self.options.lease.as_millis()).unwrap_or(u64::MAX));
        let mut workers = scan(&self.nats, &self.workers, |key, value, _| {
            let worker = key.starts_with(WORKER).then(|| parse::<Worker>(key, value).ok())??;
            (worker.seen >= since).then_some(worker)
        })
        .await?;
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workers)
    }
}
