//! How much of the dearest work is done: for people who wait for one operation on a large table.

use std::sync::atomic::{AtomicU64, Ordering};

static DONE: AtomicU64 = AtomicU64::new(0);

/// Elements that extensions have made and that trees have absorbed since the process began, by all backends of this
/// crate. It grows while operations run.
pub fn elements_done() -> u64 {
    DONE.load(Ordering::Relaxed)
}

/// `elements` more are done.
pub(crate) fn count(elements: usize) {
    DONE.fetch_add(elements as u64, Ordering::Relaxed);
}
