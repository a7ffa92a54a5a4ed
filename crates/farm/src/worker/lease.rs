//! The lease of each job that a worker has, which is the time that servers wait for its answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};
use tokio::time::sleep;

use crate::JobName;
use crate::queue::Note;
use crate::thread::lock;

/// A job that a worker has taken, and whose lease is renewed as long as this is there.
pub(super) struct LeasedJob {
    pub(super) note: Note,
    /// How often the message was delivered, this time included.
    pub(super) delivered: u64,
    message: Arc<Message>,
    leases: Arc<Leases>,
}

impl LeasedJob {
    pub(super) fn name(&self) -> JobName {
        self.note.record.status.name
    }

    fn key(&self) -> (JobName, u64) {
        (self.name(), self.note.record.generation)
    }

    /// Answers the servers. A lost answer does no harm: the message comes again, and its receiver reads the state.
    pub(super) async fn answer(&self, kind: AckKind) {
        lock(&self.leases.held).remove(&self.key());
        if let Err(error) = self.message.ack_with(kind).await {
            tracing::debug!("job {}: {error}", self.name());
        }
    }
}

impl Drop for LeasedJob {
    fn drop(&mut self) {
        lock(&self.leases.held).remove(&self.key());
    }
}

/// The leases of a worker.
pub(super) struct Leases {
    /// By job and generation: a newer message of a job is another one.
    held: Mutex<HashMap<(JobName, u64), Arc<Message>>>,
    lease_ms: AtomicU64,
}

impl Leases {
    pub(super) fn new(lease: Duration) -> Self {
        Self { held: Mutex::default(), lease_ms: AtomicU64::new(u64::try_from(lease.as_millis()).unwrap_or(u64::MAX)) }
    }

    /// The farm's lease is the one that its servers know.
    pub(super) fn at_most(&self, lease: Duration) {
        self.lease_ms.fetch_min(u64::try_from(lease.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// A third of it.
    pub(super) fn third(&self) -> Duration {
        Duration::from_millis(self.lease_ms.load(Ordering::Relaxed).max(3) / 3)
    }

    /// Holds a job. `None` if it is held already.
    pub(super) fn hold(self: &Arc<Self>, note: Note, delivered: u64, message: Message) -> Option<LeasedJob> {
        let message = Arc::new(message);
        let key = (note.record.status.name, note.record.generation);
        let mut held = lock(&self.held);
        if held.contains_key(&key) {
            return None;
        }
        held.insert(key, Arc::clone(&message));
        Some(LeasedJob { note, delivered, message, leases: Arc::clone(self) })
    }

    /// Renews all that are held, three times a lease, for ever. Provers have threads of their own, so that none of them
    /// delays it.
    pub(super) async fn renew(self: Arc<Self>) {
        loop {
            sleep(self.third()).await;
            let held: Vec<Arc<Message>> = lock(&self.held).values().cloned().collect();
            for message in held {
                if let Err(error) = message.ack_with(AckKind::Progress).await {
                    tracing::debug!("a lease: {error}");
                }
            }
        }
    }
}
