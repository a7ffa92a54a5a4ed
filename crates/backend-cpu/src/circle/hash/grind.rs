//! Proof of work: the first nonce of the order of circle.md, section 12.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use gpu_hal::{LOG_WINDOW, NonceSearch, Result};

use super::compress::{Words, compress, digest, first_state};
use super::in_window;
use crate::circle::m31::{LANES, Lanes};
use crate::simd::{Isa, Kernel, SimdLevel};

/// Nonces that a thread takes at a time, a window: some tens of microseconds of work with Blake2s.
const BATCH: u64 = 1 << LOG_WINDOW;

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

/// A window: nonces of one high word. The result is the number of the first
/// that will do, from the window's first.
pub(super) struct Batch {
    words: Words,
    prefix: [u32; 8],
    /// The first nonce.
    first: u64,
    bits: u32,
}

impl Batch {
    pub(super) fn new(grind: &NonceSearch, first: u64, words: Words) -> Self {
        let prefix = grind.prefix.as_chunks::<4>().0;
        let prefix = std::array::from_fn(|word| u32::from_le_bytes(prefix[word]));
        Self { words, prefix, first, bits: grind.bits }
    }
}

impl Kernel for Batch {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Option<u64> {
        let Self { words: of_digest, prefix, first, bits } = self;
        let mut message = [I::M31::splat(0); 16];
        for (word, value) in message.iter_mut().zip(prefix) {
            *word = I::M31::splat(value);
        }
        message[9] = I::M31::splat((first >> 32) as u32);
        let mut offsets = [0; LANES];
        for (lane, offset) in offsets.iter_mut().enumerate() {
            *offset = lane as u32;
        }
        // SAFETY: sixteen words.
        let offsets = unsafe { I::M31::load(offsets.as_ptr()) };
        let state = first_state::<I::M31>();
        for step in (0..BATCH).step_by(LANES) {
            message[8] = I::M31::splat((first + step) as u32).wrapping_add(offsets);
            let hash = digest(compress(&state, &message, 40, true), of_digest);
            let mut words = [[0u32; LANES]; 2];
            // SAFETY: sixteen words each.
            unsafe {
                hash[0].store(words[0].as_mut_ptr());
                hash[1].store(words[1].as_mut_ptr());
            }
            for (lane, (low, high)) in words[0].iter().zip(&words[1]).enumerate() {
                let value = u64::from(*high) << 32 | u64::from(*low);
                if value.trailing_zeros() >= bits {
                    return Some(step + lane as u64);
                }
            }
        }
        None
    }
}
