//! The smallest nonce whose digest has enough leading zeros.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use gpu_hal::{Digest, LOG_WINDOW};

use super::permutation::{STATE, permute};
use super::{PAD_FIRST, PAD_LAST, RATE};
use crate::goldilocks::hash::lanes::{Lanes, Register};
use crate::simd::SimdLevel;
use crate::simd::{Isa, Kernel, dispatch};

/// Nonces that a thread takes at a time: some tens of microseconds of work.
const BATCH: u64 = 1 << LOG_BATCH;
const LOG_BATCH: u32 = 10;
const _: () = assert!(LOG_BATCH <= LOG_WINDOW);

/// The smallest nonce of some windows such that the first 8 bytes of Keccak-256(`prefix` || nonce as 8 big-endian
/// bytes), read as a big-endian number, are below `2^(64 - bits)`. `None` if none will do, which is so for every
/// `bits > 64`.
///
/// All threads of the current rayon pool search; the result does not depend on their number.
pub fn grind(level: SimdLevel, prefix: &Digest, bits: u32, windows: Range<u64>) -> Option<u64> {
    if bits > u64::BITS {
        return None;
    }
    let prefix = prefix.as_chunks::<8>().0;
    let prefix = [prefix[0], prefix[1], prefix[2], prefix[3]].map(u64::from_le_bytes);
    let [first, end] = [windows.start, windows.end].map(|window| window << (LOG_WINDOW - LOG_BATCH));
    let next_batch = AtomicU64::new(first);
    let smallest = AtomicU64::new(u64::MAX);
    let found = AtomicU64::new(0);
    // Batches are handed out in order, so every batch below one that was handed out is searched to its end; a thread
    // stops as soon as its next batch begins above a nonce that is already known.
    let search = || {
        loop {
            let batch = next_batch.fetch_add(1, Ordering::Relaxed);
            let known = found.load(Ordering::Acquire) > 0;
            if batch >= end || (known && batch * BATCH > smallest.load(Ordering::Acquire)) {
                return;
            }
            if let Some(nonce) = dispatch(level, BatchKernel { prefix, first: batch * BATCH, bits }) {
                smallest.fetch_min(nonce, Ordering::AcqRel);
                found.fetch_add(1, Ordering::AcqRel);
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| search());
        }
        search();
    });
    (found.into_inner() > 0).then_some(smallest.into_inner())
}

struct BatchKernel {
    prefix: [u64; 4],
    first: u64,
    bits: u32,
}

impl Kernel for BatchKernel {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Option<u64> {
        let Self { prefix, first, bits } = self;
        let mut start = [I::Words::splat_raw(0); STATE];
        for (word, value) in start.iter_mut().zip(prefix) {
            *word = I::Words::splat_raw(value);
        }
        start[5] = I::Words::splat_raw(PAD_FIRST);
        start[RATE - 1] = I::Words::splat_raw(PAD_LAST);
        // SAFETY: eight words are enough for any number of lanes.
        let offsets = unsafe { I::Words::load_raw([0u64, 1, 2, 3, 4, 5, 6, 7].as_ptr()) };
        for step in (0..BATCH).step_by(I::Words::LANES) {
            let mut state = start;
            state[4] = I::Words::splat_raw(first + step).add(offsets).swap_bytes();
            permute(&mut state);
            let mut digests = [0u64; 8];
            // SAFETY: eight words are enough for any number of lanes.
            unsafe { state[0].swap_bytes().store_raw(digests.as_mut_ptr()) };
            for (lane, digest) in digests[..I::Words::LANES].iter().enumerate() {
                if digest.leading_zeros() >= bits {
                    return Some(first + step + lane as u64);
                }
            }
        }
        None
    }
}
