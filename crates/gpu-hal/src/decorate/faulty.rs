//! Failing on purpose.

use alloc::collections::BTreeMap;
use alloc::format;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::hook::{Call, Hook, Hooked, Outcome};
use crate::{ErrorKind, HalError, Operation, Result, StarkBackend};

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
}

/// The counters of a [`Faulty`] backend.
#[derive(Debug, Default)]
pub struct FaultyHook {
    state: Mutex<State>,
}

impl FaultyHook {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
}

impl<B: StarkBackend> Hook<B> for FaultyHook {
    fn around<R>(
        &self,
        _inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        _outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        match self.count(call.operation) {
            Some(fault) => Err(HalError::new(
                fault.kind,
                call.operation.name(),
                format!("injected fault, {} operations after it was set", fault.after),
            )),
            None => run(),
        }
    }
}

impl<B: StarkBackend> Faulty<B> {
    /// `inner`, with no fault set.
    pub fn new(inner: B) -> Self {
        Self::with_hook(inner, FaultyHook::default())
    }

    /// Sets a fault, which strikes once, and counts anew.
    pub fn arm(&self, fault: Fault) {
        *self.hook.state() = State { fault: Some(fault), seen: BTreeMap::new() };
    }

    /// Removes a fault that did not strike, and counts anew.
    pub fn disarm(&self) {
        *self.hook.state() = State::default();
    }

    /// Whether a fault is set that did not strike yet.
    pub fn is_armed(&self) -> bool {
        self.hook.state().fault.is_some()
    }

    /// Operations called since the last [`Self::arm`] or [`Self::disarm`], the failed one included.
    pub fn seen(&self) -> u64 {
        self.hook.state().seen.values().sum()
    }

    /// The same for one operation.
    pub fn seen_of(&self, operation: Operation) -> u64 {
        self.hook.state().seen.get(&operation).copied().unwrap_or(0)
    }
}
