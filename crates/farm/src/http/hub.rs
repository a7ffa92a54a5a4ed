//! One watch of the farm for all clients: the last changes, each written once, in a ring that every client reads at its
//! own pace.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::watch;

use super::counters::Counters;
use super::farm::Farm;
use crate::{JobName, Status};

/// Wait after which the farm is watched again when it was lost; each further one is twice as long, up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A change, as it is sent.
#[derive(Clone)]
pub(super) struct Event {
    /// The job that changed; `None` where changes may be missing.
    pub(super) name: Option<JobName>,
    /// Whether the job's state is final.
    pub(super) is_last: bool,
    /// It in the form of server-sent events.
    pub(super) frame: Bytes,
}

/// A client is further behind than the kept events.
#[derive(Debug)]
pub(super) struct Lagged;

struct Ring {
    /// The number of the first event that is kept.
    first: u64,
    events: VecDeque<Event>,
    /// Bytes of their frames.
    bytes: usize,
    /// The last status of each job that has an event here, and how many it has: a status that comes again after a lost
    /// watch is no change.
    latest: HashMap<JobName, (Status, usize)>,
}

/// The changes, and when there are more.
pub(super) struct Hub {
    /// Differs from server to server, so that a number of another one is not taken for one of this.
    epoch: u64,
    /// Events that are kept, and their bytes.
    most: (usize, usize),
    ring: Mutex<Ring>,
    head: watch::Sender<u64>,
    counters: Arc<Counters>,
}

impl Hub {
    pub(super) fn new(epoch: u64, most: (usize, usize), counters: Arc<Counters>) -> Self {
        let ring = Ring { first: 0, events: VecDeque::new(), bytes: 0, latest: HashMap::new() };
        Self { epoch, most, ring: Mutex::new(ring), head: watch::channel(0).0, counters }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches the farm for ever.
    pub(super) async fn follow(&self, farm: &dyn Farm) {
        let (mut wait, mut is_first) = (FIRST_WAIT, true);
        loop {
            match farm.watch().await {
                Ok(mut changes) => {
                    if !is_first {
                        self.push(None);
                    }
                    is_first = false;
                    loop {
                        match changes.next().await {
                            Some(Ok(status)) => {
                                wait = FIRST_WAIT;
                                self.push(Some(status));
                            }
                            Some(Err(error)) => {
                                tracing::warn!(%error, "a change was missed");
                                self.push(None);
                                tokio::time::sleep(FIRST_WAIT).await;
                            }
                            None => break,
                        }
                    }
                }
                Err(error) => tracing::warn!(%error, "the farm cannot be watched"),
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// A status, or that some may be missing.
    fn push(&self, status: Option<Status>) {
        let mut ring = self.ring();
        let next = ring.first + ring.events.len() as u64;
        let event = self.event(next, status.as_ref());
        if let Some(status) = status {
            let before = ring.latest.remove(&status.name);
            let (before, count) = before.map_or((None, 0), |(before, count)| (Some(before), count));
            let is_new = before.as_ref() != Some(&status);
            if is_new {
                self.counters.change(before.as_ref(), &status);
            }
            ring.latest.insert(status.name, (status, count + usize::from(is_new)));
            if !is_new {
                return;
            }
        }
        ring.bytes += event.frame.len();
        ring.events.push_back(event);
        // The last one is kept, however long.
        while ring.events.len() > 1 && (ring.events.len() > self.most.0 || ring.bytes > self.most.1) {
            let Some(event) = ring.events.pop_front() else { break };
            ring.first += 1;
            ring.bytes -= event.frame.len();
            if let Some(name) = event.name
                && let Entry::Occupied(mut latest) = ring.latest.entry(name)
            {
                latest.get_mut().1 -= 1;
                if latest.get().1 == 0 {
                    latest.remove();
                }
            }
        }
        drop(ring);
        self.head.send_replace(next + 1);
    }

    /// A status as the event of this number, or that changes may be missing before it.
    fn event(&self, number: u64, status: Option<&Status>) -> Event {
        let (kind, data) = match status {
            Some(status) => ("status", serde_json::to_string(status).unwrap_or_default()),
            None => ("gap", "{}".to_owned()),
        };
        let frame = format!("id: {}-{number}\nevent: {kind}\ndata: {data}\n\n", self.epoch);
        Event {
            name: status.map(|status| status.name),
            is_last: status.is_some_and(|status| status.state.is_final()),
            frame: frame.into(),
        }
    }

    /// The number of the next event.
    pub(super) fn head(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    /// A status that a client is told first. Its number is that of the last event, so a client that asks for later
    /// events gets all that follow.
    pub(super) fn present(&self, status: &Status, next: u64) -> Event {
        self.event(next.wrapping_sub(1), Some(status))
    }

    /// Says that changes may be missing before this number.
    pub(super) fn gap(&self, next: u64) -> Event {
        self.event(next.wrapping_sub(1), None)
    }

    /// The number behind the event with this id, if it is of this server and the events behind it are kept.
    pub(super) fn behind(&self, id: &str) -> Option<u64> {
        let (epoch, number) = id.split_once('-')?;
        let next = number.parse::<u64>().ok()?.wrapping_add(1);
        let ring = self.ring();
        let is_kept = ring.first <= next && next <= ring.first + ring.events.len() as u64;
        (epoch.parse() == Ok(self.epoch) && is_kept).then_some(next)
    }

    /// Events from this number on, as many as there are, at most `most`, and beyond the first one no more than `bytes`
    /// bytes.
    pub(super) fn from(&self, number: u64, (most, mut bytes): (usize, usize)) -> Result<Vec<Event>, Lagged> {
        let ring = self.ring();
        let skip = number.checked_sub(ring.first).ok_or(Lagged)?;
        let mut events: Vec<Event> = Vec::new();
        for event in ring.events.iter().skip(skip as usize).take(most) {
            if event.frame.len() > bytes && !events.is_empty() {
                break;
            }
            bytes = bytes.saturating_sub(event.frame.len());
            events.push(event.clone());
        }
        Ok(events)
    }
}
