//! Failing on purpose, and being wrong on purpose.

use alloc::collections::BTreeMap;
use alloc::format;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::hook::{Call, Hook, Hooked};
use field::Field;

use crate::op::Outcome;
use crate::{ErrorKind, HalError, Operation, Result, StarkBackend, Types};

/// A backend that fails where a test wants it to.
pub type Faulty<B> = Hooked<B, FaultyHook>;

/// Where to fail, counted from [`Faulty::arm`], and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Only this operation counts; `None`: every operation does.
    pub operation: Option<Operation>,
    /// How many such operations succeed before the one that fails.
    pub after: u64,
    /// The error's kind.
    pub kind: ErrorKind,
}

#[derive(Debug, Default)]
struct State {
    fault: Option<Fault>,
    seen: BTreeMap<Operation, u64>,
    /// Results to let pass before the one that is changed.
    wrong_after: Option<u64>,
}

/// The plan of a [`Faulty`] backend, and the calls that it has seen.
#[derive(Debug, Default)]
pub struct FaultyHook {
    state: Mutex<State>,
}

impl FaultyHook {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a fault, which strikes once, and counts anew.
    pub fn arm(&self, fault: Fault) {
        *self.state() = State { fault: Some(fault), ..State::default() };
    }

    /// Changes one result on its way to the host, after `after` of them, and counts anew: an element, a bit of a
    /// digest, a value at a point. It stands for a device that computes wrongly and does not know. A nonce stays, since
    /// another may do.
    pub fn arm_wrong(&self, after: u64) {
        *self.state() = State { wrong_after: Some(after), ..State::default() };
    }

    /// Removes the faults that did not strike, and counts anew.
    pub fn disarm(&self) {
        *self.state() = State::default();
    }

    /// Whether something is set that did not strike yet.
    pub fn is_armed(&self) -> bool {
        let state = self.state();
        state.fault.is_some() || state.wrong_after.is_some()
    }

    /// Counts the call, and says whether it is the one to fail.
    fn count(&self, operation: Operation) -> Option<Fault> {
        let mut state = self.state();
        *state.seen.entry(operation).or_default() += 1;
        let fault = state.fault?;
        let seen = match fault.operation {
            Some(wanted) if wanted != operation => return None,
            Some(wanted) => state.seen[&wanted],
            None => state.seen.values().sum(),
        };
        if seen <= fault.after {
            return None;
        }
        state.fault.take()
    }

    /// Changes a result, if it is the one and has something that can be changed.
    fn change<T: Types>(&self, outcome: Outcome<'_, T>) {
        let mut state = self.state();
        let Some(after) = state.wrong_after else { return };
        if after > 0 {
            let counts = matches!(
                outcome,
                Outcome::Elements(_)
                    | Outcome::Digest(_)
                    | Outcome::Opened(_)
                    | Outcome::Values(_)
                    | Outcome::Sums(_)
                    | Outcome::BoundSums(_)
            );
            state.wrong_after = Some(after - u64::from(counts));
        } else if is_changed(outcome) {
            state.wrong_after = None;
        }
    }
}

/// Changes a part of a result. False if it has no part that can be changed.
fn is_changed<T: Types>(outcome: Outcome<'_, T>) -> bool {
    let wrong = match outcome {
        Outcome::Elements(elements) => elements.first_mut().map(|element| *element += Field::ONE),
        Outcome::Digest(digest) => digest.first_mut().map(|byte| *byte ^= 1),
        Outcome::Sums(sums) => sums.iter_mut().flatten().next().map(|sum| *sum += Field::ONE),
        Outcome::BoundSums(made) => {
            made.iter_mut().flat_map(|made| &mut made.sums).next().map(|sum| *sum += Field::ONE)
        }
        Outcome::Values(values) => values.iter_mut().flatten().flatten().next().map(|value| *value += Field::ONE),
        Outcome::Opened(opened) => {
            let element = opened.iter_mut().flat_map(|opened| &mut opened.rows).flatten().next();
            element.map(|element| *element += Field::ONE)
        }
        _ => None,
    };
    wrong.is_some()
}

impl<B: StarkBackend> Hook<B> for FaultyHook {
    fn around<R>(
        &self,
        _inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        match self.count(call.operation) {
            Some(fault) => Err(HalError::new(
                fault.kind,
                call.operation,
                format!("injected fault, {} operations after it was set", fault.after),
            )),
            None => run().map(|mut result| {
                self.change(outcome(&mut result));
                result
            }),
        }
    }
}

impl<B: StarkBackend> Faulty<B> {
    /// `inner`, with no fault set.
    pub fn new(inner: B) -> Self {
        Self::with_hook(inner, FaultyHook::default())
    }

    /// [`FaultyHook::arm`].
    pub fn arm(&self, fault: Fault) {
        self.hook.arm(fault);
    }

    /// [`FaultyHook::disarm`].
    pub fn disarm(&self) {
        self.hook.disarm();
    }

    /// [`FaultyHook::is_armed`].
    pub fn is_armed(&self) -> bool {
        self.hook.is_armed()
    }

    /// Operations called since the last [`Self::arm`] or [`Self::disarm`], the failed one included.
    pub fn seen(&self) -> u64 {
        self.hook.state().seen.values().sum()
    }

    /// The same for one operation, for tests.
    #[doc(hidden)]
    pub fn seen_of(&self, operation: Operation) -> u64 {
        self.hook.state().seen.get(&operation).copied().unwrap_or(0)
    }
}
