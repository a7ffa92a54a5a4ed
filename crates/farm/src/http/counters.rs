//! Counts since the server began.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::{State, Status};

/// Upper bounds of the histogram of proving times, in seconds.
pub(super) const BOUNDS: [f64; 12] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0];
/// Seconds of a slot of the throughput, and how many slots are kept.
const SLOT_SECONDS: u64 = 10;
const SLOTS: usize = 60;

/// An HTTP request: method, route, status.
pub(super) type Request = (&'static str, String, u16);

/// How many jobs became final in the last ten minutes.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Throughput {
    /// Seconds of each slot.
    seconds: u64,
    /// Jobs with a proof in each slot; the last slot is the one that runs.
    done: Vec<u64>,
    /// Jobs that ended without one.
    ended: Vec<u64>,
}

#[derive(Default)]
pub(super) struct Counted {
    pub(super) submitted: u64,
    /// By state, which is a final one.
    pub(super) finished: BTreeMap<&'static str, u64>,
    /// How many proofs took at most this long, for each bound, and how many there are.
    pub(super) within: [u64; BOUNDS.len()],
    pub(super) proofs: u64,
    pub(super) seconds: f64,
    pub(super) requests: BTreeMap<Request, u64>,
    pub(super) cut_off: u64,
    /// Number of the slot, jobs with a proof, jobs without.
    slots: VecDeque<(u64, u64, u64)>,
}

/// The counters.
#[derive(Default)]
pub(super) struct Counters(Mutex<Counted>);

impl Counters {
    pub(super) fn counted(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A job's status is another one than before.
    pub(super) fn change(&self, before: Option<&Status>, status: &Status) {
        if before.is_some_and(|before| before.state == status.state) {
            return;
        }
        let mut counted = self.counted();
        if status.state == State::Queued && status.attempts == 0 {
            counted.submitted += 1;
        }
        if !status.state.is_final() {
            return;
        }
        *counted.finished.entry(status.state.name()).or_default() += 1;
        let is_done = status.state == State::Done;
        if let (true, Some(begun), Some(ended)) = (is_done, status.begun, status.ended) {
            let seconds = ended.saturating_sub(begun) as f64 / 1000.0;
            counted.proofs += 1;
            counted.seconds += seconds;
            for (within, bound) in counted.within.iter_mut().zip(BOUNDS) {
                *within += u64::from(seconds <= bound);
            }
        }
        let number = crate::now() / 1000 / SLOT_SECONDS;
        if counted.slots.back().is_none_or(|slot| slot.0 < number) {
            counted.slots.push_back((number, 0, 0));
        }
        if counted.slots.len() > SLOTS {
            counted.slots.pop_front();
        }
        if let Some((_, done, ended)) = counted.slots.back_mut() {
            *(if is_done { done } else { ended }) += 1;
        }
    }

    /// A request was answered.
    pub(super) fn request(&self, request: Request) {
        *self.counted().requests.entry(request).or_default() += 1;
    }

    /// A client was too slow for its events.
    pub(super) fn cut_off(&self) {
        self.counted().cut_off += 1;
    }

    /// Jobs that became final lately.
    pub(super) fn throughput(&self) -> Throughput {
        let last = crate::now() / 1000 / SLOT_SECONDS;
        let mut throughput = Throughput { seconds: SLOT_SECONDS, done: vec![0; SLOTS], ended: vec![0; SLOTS] };
        for (number, done, ended) in &self.counted().slots {
            // A clock that was set back makes the last slot of it.
            let ago = last.saturating_sub(*number) as usize;
            if let Some(at) = (SLOTS - 1).checked_sub(ago) {
                throughput.done[at] += done;
                throughput.ended[at] += ended;
            }
        }
        throughput
    }
}
