//! Values that are made once on the device and kept.

use std::sync::{Arc, Mutex, MutexGuard};

use gpu_hal::Result;

use crate::pool::Block;

/// Something that is made when it is first asked for.
pub(crate) struct Cache<T>(Mutex<Option<Arc<T>>>);

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Cache<T> {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        // One assignment is all that changes it, so a panic elsewhere leaves it whole.
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The kept value, if any.
    pub(crate) fn known(&self) -> Option<Arc<T>> {
        self.lock().clone()
    }

    /// The kept value if it `fits`, or else the one that `make` makes. A value that does not fit is released first.
    pub(crate) fn get(&self, fits: impl Fn(&T) -> bool, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut cache = self.lock();
        if let Some(known) = cache.as_ref().filter(|known| fits(known)) {
            return Ok(Arc::clone(known));
        }
        *cache = None;
        let made = Arc::new(make()?);
        *cache = Some(Arc::clone(&made));
        Ok(made)
    }
}

/// The tables that a protocol's `points.h` reads: factors of transforms, and their inverses.
pub(crate) struct Factors<M> {
    pub(crate) forward: Block<M>,
    pub(crate) inverse: Block<M>,
    /// Entries of each.
    pub(crate) entries: u64,
}
