//! Memory of a device that is promised to its future users, so that none of them runs out of it halfway.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use core::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::HalError;

/// How long a waiting caller is not asked whether it goes on waiting.
const PATIENCE: Duration = Duration::from_millis(50);

/// The promises on a device's memory. Clones, which backends on one device hold, share it.
///
/// Promises are made in the order of asking. A holder counts with its promise, not with the memory that it takes;
/// memory that others take without a promise is noticed when the next promise is made.
#[derive(Clone, Debug, Default)]
pub struct Budget(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// A promise ended, or the queue moved.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Sum of the promises.
    promised: u64,
    holders: usize,
    /// The bytes available when nothing was promised, less the bytes kept since.
    room: u64,
    /// The waiting callers, the first in front.
    queue: VecDeque<u64>,
    /// The next number to wait under.
    next: u64,
}

/// Why memory was not promised.
#[derive(Debug)]
pub enum Refused {
    /// There is too little, even for one alone.
    Missing {
        /// Bytes available.
        available: u64,
    },
    /// There is too little as long as others hold their promises, and the caller does not wait.
    Occupied {
        /// Bytes available beside the others.
        available: u64,
    },
    /// The backend cannot tell the available bytes.
    Hal(HalError),
}

impl Budget {
    /// The budget that all callers with the same name of a device share in this process.
    pub fn of_device(name: &str) -> Self {
        static BUDGETS: Mutex<BTreeMap<String, Budget>> = Mutex::new(BTreeMap::new());
        let mut budgets = BUDGETS.lock().unwrap_or_else(PoisonError::into_inner);
        budgets.entry(name.to_owned()).or_default().clone()
    }

    /// Promises `bytes` of the `available()` bytes, which a backend could take now; if it cannot tell, anything is
    /// promised. As long as others hold too much, `waits` is asked again and again whether to wait for them; it may
    /// also look at something else that ends the wait.
    ///
    /// # Errors
    /// [`Refused`]; nothing is promised then.
    pub fn reserve(
        &self,
        bytes: u64,
        mut available: impl FnMut() -> Result<Option<u64>, HalError>,
        mut waits: impl FnMut() -> ControlFlow<()>,
    ) -> Result<Reservation, Refused> {
        let place = self.join();
        loop {
            let free = {
                let mut state = self.lock();
                let now = available().map_err(Refused::Hal)?.unwrap_or(u64::MAX);
                if state.holders == 0 {
                    state.room = now;
                }
                let free = state.room.saturating_sub(state.promised).min(now);
                if state.queue.front() == Some(&place.ticket) && bytes <= free {
                    state.promised = state.promised.saturating_add(bytes);
                    state.holders += 1;
                    return Ok(Reservation { budget: self.clone(), bytes, kept: 0 });
                }
                if bytes > state.room {
                    return Err(Refused::Missing { available: state.room });
                }
                free
            };
            if waits().is_break() {
                return Err(Refused::Occupied { available: free });
            }
            // A change since the lock was given back is noticed when patience ends.
            drop(self.0.changed.wait_timeout(self.lock(), PATIENCE).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Takes the last place of the queue.
    fn join(&self) -> Place<'_> {
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        state.queue.push_back(ticket);
        Place { budget: self, ticket }
    }

    /// The bytes that one alone could take where `now` bytes are available: all of them if nothing is promised, else
    /// the bytes from before.
    pub fn room(&self, now: Option<u64>) -> Option<u64> {
        let state = self.lock();
        now.map(|now| if state.holders == 0 { now } else { state.room })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No update can stop halfway.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue, left when this is dropped.
struct Place<'a> {
    budget: &'a Budget,
    ticket: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.budget.lock().queue.retain(|other| *other != self.ticket);
        self.budget.0.changed.notify_all();
    }
}

/// Memory that is promised until this is dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: Budget,
    bytes: u64,
    kept: u64,
}

impl Reservation {
    /// Ends the promise, but `bytes` bytes stay taken.
    pub fn keep(mut self, bytes: u64) {
        self.kept = bytes;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.budget.lock();
        state.promised = state.promised.saturating_sub(self.bytes);
        state.holders = state.holders.saturating_sub(1);
        state.room = state.room.saturating_sub(self.kept);
        drop(state);
        self.budget.0.changed.notify_all();
    }
}
