//! Changes of jobs, as they come.

use std::time::Duration;

use async_nats::jetstream::kv::{Operation, Watch};
use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, unfold};
use tokio::time::{sleep, timeout};

use crate::connection::SharedFarm;
use crate::patience::server;
use crate::state::{Record, parse};
use crate::{JobName, Result, Status};

/// If nothing is heard for so long, the state is read again: servers that were all away forget the watchers.
const SILENCE: Duration = Duration::from_secs(10);

struct Watching {
    farm: SharedFarm,
    name: Option<JobName>,
    watch: Option<Watch>,
    /// The last revision that was handed on.
    revision: u64,
}

/// See [`crate::Client::watch`].
pub(crate) fn watch(farm: SharedFarm, name: Option<JobName>) -> BoxStream<'static, Result<Status>> {
    let watching = Watching { farm, name, watch: None, revision: 0 };
    unfold(watching, |mut watching| async move { Some((watching.next().await, watching)) }).boxed()
}

impl Watching {
    async fn open(&mut self) -> Result<Watch> {
        let bucket = &self.farm.states.bucket;
        let watch = match (&self.name, self.revision) {
            (Some(name), _) => bucket.watch_with_history(name.to_string()).await,
            (None, 0) => bucket.watch_all().await,
            (None, last) => bucket.watch_all_from_revision(last + 1).await,
        };
        watch.map_err(server("watching"))
    }

    /// The next change. It waits while the servers are away.
    async fn next(&mut self) -> Result<Status> {
        let mut pause = Duration::from_millis(100);
        loop {
            let mut watch = match self.watch.take() {
                Some(watch) => watch,
                None => match self.open().await {
                    Ok(watch) => watch,
                    Err(error) => {
                        tracing::debug!("{error}");
                        sleep(pause).await;
                        pause = (pause * 2).min(Duration::from_secs(2));
                        continue;
                    }
                },
            };
            // After silence or an error it is opened again.
            let Ok(Some(Ok(entry))) = timeout(SILENCE, watch.next()).await else { continue };
            self.watch = Some(watch);
            if entry.operation == Operation::Put && entry.revision > self.revision {
                self.revision = entry.revision;
                return parse::<Record>(&entry.key, &entry.value).map(|record| record.status);
            }
        }
    }
}
