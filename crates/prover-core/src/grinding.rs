//! The search for a nonce, which the observer of the proof can end.

use std::time::{Duration, Instant};

use gpu_hal::{HalError, LOG_WINDOW, NonceSearch, StarkBackend};

use crate::observer::{Cancelled, Observer, Phase, go_on};

/// A part that was searched sooner is followed by one of twice the windows, one that took longer by one of half of
/// them.
const SHORT: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_millis(80);

/// Log2 of the windows of the first part, at most: milliseconds of a device, tenths of a second of one core.
const LOG_FIRST: u32 = 20 - LOG_WINDOW;

/// The first nonce of the hash function's order; `None` if no 64-bit nonce will do. The windows are searched part by
/// part, in order, so that the nonce depends on no part's size; between parts the observer is asked.
pub(crate) fn grind<B: StarkBackend, E, F>(
    backend: &B,
    challenge: &NonceSearch,
    observer: &dyn Observer<E>,
    phase: Phase,
) -> Result<Option<u64>, F>
where
    F: From<HalError> + From<Cancelled>,
{
    let all = challenge.hash.nonces().windows();
    // Four times as many tries as are expected: most searches are of one part.
    let mut windows = 1u64 << (challenge.bits + 2).saturating_sub(LOG_WINDOW).min(LOG_FIRST);
    let mut first = 0;
    while first < all {
        go_on(observer, phase)?;
        let end = first.saturating_add(windows).min(all);
        let begun = Instant::now();
        if let Some(nonce) = backend.grind_within(challenge, first..end)? {
            return Ok(Some(nonce));
        }
        first = end;
        windows = match begun.elapsed() {
            took if took < SHORT => windows.saturating_mul(2),
            took if took > LONG => (windows / 2).max(1),
            _ => windows,
        };
    }
    Ok(None)
}
