//! Locks of data that no panic leaves half changed.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts and estimates for a display are whole after each call: they stay as they are if a thread panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
