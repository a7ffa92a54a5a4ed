//! The data that all tasks of a worker share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::lease::Leases;
use super::signal::Signal;
use crate::connection::Farm;
use crate::patience::now;
use crate::thread::lock;
use crate::{Client, JobName, Prover, Worker};

/// The data that all tasks of a worker share.
pub(super) struct Context {
    pub(super) client: Client,
    pub(super) prover: Arc<dyn Prover>,
    pub(super) leases: Arc<Leases>,
    /// The published status of it.
    pub(super) face: Mutex<Worker>,
    /// The jobs that it has begun.
    pub(super) begun: Mutex<BTreeMap<JobName, Arc<Signal>>>,
}

impl Context {
    pub(super) fn farm(&self) -> &Arc<Farm> {
        &self.client.farm
    }

    pub(super) fn name(&self) -> String {
        lock(&self.face).name.clone()
    }

    /// Says that it is there.
    pub(super) async fn tell(&self) {
        let face = {
            let mut face = lock(&self.face);
            face.seen = now();
            face.waits = self.farm().waits.longest();
            face.clone()
        };
        if let Err(error) = self.farm().tell(&face).await {
            tracing::warn!("worker `{}`: {error}", face.name);
        }
    }
}
