//! Servers that are away for a while.

use std::fmt::Display;
use std::future::Future;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

use crate::{Error, Result};

/// A worker that has something to say never gives up: its lease is renewed in the meantime.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// What the servers did not do.
pub(crate) fn server<E: Display>(what: &'static str) -> impl Fn(E) -> Error {
    move |error| Error::Server { what, detail: error.to_string() }
}

/// Asks again while the servers are at fault, less and less often, for so long.
pub(crate) async fn patiently<T, F>(patience: Duration, ask: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let until = Instant::now() + patience;
    let mut pause = Duration::from_millis(50);
    loop {
        match ask().await {
            Err(Error::Server { what, detail }) if Instant::now() + pause < until => {
                tracing::debug!("{what}: {detail}; again in {pause:?}");
                sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(2));
            }
            result => return result,
        }
    }
}
