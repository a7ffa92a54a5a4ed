//! Proof of work: the first nonce of the order of circle.md, section 12.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use gpu_hal::{NonceSearch, Result};

use super::window::{BATCH, in_window};
use crate::simd::SimdLevel;

/// The first nonce of some windows that does the work, of at most 64 bits. `None` if there is none.
///
/// All threads of the current rayon pool search; the result does not depend on their number.
///
/// # Errors
/// [`gpu_hal::ErrorKind::Unsupported`] for a hash function of another protocol.
pub(crate) fn grind(level: SimdLevel, grind: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
    let (nonces, in_window) = (grind.hash.nonces(), in_window(level, grind)?);
    let next_window = AtomicU64::new(windows.start);
    let smallest = AtomicU64::new(u64::MAX);
    // Batches are handed out in order, so every batch below one that was handed out is searched to its end; a thread
    // stops as soon as its next batch begins above a number that is already known.
    let search = || {
        loop {
            let first = next_window.fetch_add(1, Ordering::Relaxed) * BATCH;
            if first >= windows.end * BATCH || first > smallest.load(Ordering::Acquire) {
                return;
            }
            if let Some(number) = in_window(nonces.nonce(first)) {
                smallest.fetch_min(first + number, Ordering::AcqRel);
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| search());
        }
        search();
    });
    let number = smallest.into_inner();
    Ok((number != u64::MAX).then(|| nonces.nonce(number)))
}
