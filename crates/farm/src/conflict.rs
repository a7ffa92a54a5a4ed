//! Two proofs of one job that differ.

use serde::{Deserialize, Serialize};

use crate::connection::Farm;
use crate::patience::{now, server};
use crate::state::{bytes, parse, scan};
use crate::{Digest, Error, JobName, Result};

/// Two workers made different proofs of one job: one of the two computes wrongly. Both proofs are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofConflict {
    /// The job.
    pub job: JobName,
    /// The worker whose proof is published.
    pub first: String,
    /// The published proof.
    pub first_proof: Digest,
    /// The worker whose proof differs from it.
    pub second: String,
    /// The proof that differs.
    pub second_proof: Digest,
    /// When it was seen, in milliseconds since 1970.
    pub at: u64,
}

impl Farm {
    /// Puts an alarm on record.
    pub(crate) async fn raise(
        &self,
        job: JobName,
        (first, first_proof): (&str, Digest),
        (second, second_proof): (&str, Digest),
    ) -> Result<()> {
        let (first, second) = (first.to_owned(), second.to_owned());
        tracing::error!("{}", Error::Differ { name: job, first: first.clone(), second: second.clone() });
        let alarm = ProofConflict { job, first, first_proof, second, second_proof, at: now() };
        let key = format!("{job}.{second_proof}");
        self.alarms.put(&key, bytes(&alarm)?).await.map_err(server("an alarm"))?;
        Ok(())
    }

    /// The alarms on a job, the oldest first.
    pub(crate) async fn alarms_of(&self, job: JobName) -> Result<Vec<ProofConflict>> {
        let mut alarms = self.all_alarms().await?;
        alarms.retain(|alarm| alarm.job == job);
        Ok(alarms)
    }

    /// All alarms, the oldest first.
    pub(crate) async fn all_alarms(&self) -> Result<Vec<ProofConflict>> {
        let mut alarms =
            scan(&self.nats, &self.alarms, |key, value, _| parse::<ProofConflict>(key, value).ok()).await?;
        alarms.sort_by_key(|alarm| (alarm.at, alarm.job));
        Ok(alarms)
    }
}
