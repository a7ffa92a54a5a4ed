//! Servers that are away for a while.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::future::Future;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

use crate::thread::lock;
use crate::{Error, Result};

/// A worker that has something to say never gives up: its lease is renewed in the meantime.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Words of errors that stay the same however often one asks: a message that is too large, for the client or for a
/// stream, and requests that the servers do not allow.
const NEVER: [&str; 3] = ["max payload size exceeded", "message size exceeds maximum allowed", "permissions violation"];

/// An error of the servers; `what` names the step.
pub(crate) fn server<E: Display>(what: &'static str) -> impl Fn(E) -> Error {
    move |error| {
        let detail = error.to_string();
        let text = detail.to_lowercase();
        if NEVER.iter().any(|never| text.contains(never)) {
            Error::Never { what, detail }
        } else {
            Error::Server { what, detail }
        }
    }
}

/// Asks again while the servers are at fault, less and less often, for so long.
pub(crate) async fn patiently<T, F>(patience: Duration, ask: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    PendingRequests::default().patiently(patience, ask).await
}

/// Requests that a farm's servers do not serve, and the tasks that wait for them.
#[derive(Default)]
pub(crate) struct PendingRequests {
    waiting: Mutex<BTreeMap<u64, (Instant, String)>>,
    next: AtomicU64,
    /// The denials that the servers have sent lately: they come beside the request, which is never answered.
    denied: Mutex<VecDeque<(Instant, String)>>,
}

/// A waiting request.
struct Place<'a>(&'a PendingRequests, u64);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(&self.0.waiting).remove(&self.1);
    }
}

impl PendingRequests {
    /// How often a wait is reported.
    const SAY: Duration = Duration::from_secs(60);
    /// Denials that are kept.
    const DENIED: usize = 64;

    /// The servers have sent an error that is no answer. A denial of a request beside the work, such as to ring the
    /// bell, holds up nobody.
    pub(crate) fn note(&self, error: &str, beside: &[String]) {
        if !error.to_lowercase().contains("permissions violation") || beside.iter().any(|name| error.contains(name)) {
            return;
        }
        let mut denied = lock(&self.denied);
        denied.push_back((Instant::now(), error.to_owned()));
        if denied.len() > Self::DENIED {
            denied.pop_front();
        }
    }

    /// The request that waits longest, if any waits, and for how long.
    pub(crate) fn longest(&self) -> Option<String> {
        let waiting = lock(&self.waiting);
        let (since, what) = waiting.values().min_by_key(|(since, _)| *since)?;
        Some(format!("for {} s: {what}", since.elapsed().as_secs()))
    }

    /// See [`patiently`]. A denial is final.
    pub(crate) async fn patiently<T, F>(&self, patience: Duration, ask: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let place = Place(self, self.next.fetch_add(1, Ordering::Relaxed));
        let begun = Instant::now();
        let mut said = begun;
        let mut pause = Duration::from_millis(50);
        loop {
            let asked = Instant::now();
            let (what, detail) = match ask().await {
                Err(Error::Server { what, detail }) => (what, detail),
                result => return result,
            };
            let denied = lock(&self.denied).iter().find(|(at, _)| *at >= asked).map(|(_, denied)| denied.clone());
            if let Some(detail) = denied {
                return Err(Error::Never { what, detail });
            }
            if begun.elapsed() + pause >= patience {
                return Err(Error::Server { what, detail });
            }
            if said.elapsed() >= Self::SAY {
                tracing::warn!("for {} s: {what}: {detail}", begun.elapsed().as_secs());
                said = Instant::now();
            }
            tracing::debug!("{what}: {detail}; again in {pause:?}");
            lock(&self.waiting).insert(place.1, (begun, format!("{what}: {detail}")));
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }
}
