//! Proof of work in one window of nonces.

use gpu_hal::{HalError, HashFn, LOG_WINDOW, NonceSearch, Operation, Result};

use super::compress::{Words, compress, digest, first_state};
use super::poseidon252;
use crate::circle::m31::{LANES, Lanes};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Nonces that a thread takes at a time, a window: some tens of microseconds of work with Blake2s.
pub(super) const BATCH: u64 = 1 << LOG_WINDOW;

/// Gives the number of the first nonce of a window that does the work, from the window's first nonce.
pub(super) type InWindow<'a> = Box<dyn Fn(u64) -> Option<u64> + Sync + 'a>;

pub(super) fn in_window(level: SimdLevel, search: &NonceSearch) -> Result<InWindow<'_>> {
    Ok(match search.hash {
        HashFn::Blake2s => Box::new(move |first| dispatch(level, Batch::new(search, first, Words::Whole))),
        HashFn::Blake2sM31 => Box::new(move |first| dispatch(level, Batch::new(search, first, Words::Reduced))),
        HashFn::Poseidon252 => {
            Box::new(move |first| poseidon252::first_nonce(level, &search.prefix, first, search.bits))
        }
        other @ (HashFn::Keccak256 | HashFn::Poseidon2) => {
            return Err(HalError::unsupported(Operation::Grind, format!("hash function {other}")));
        }
    })
}

/// A window: nonces of one high word. The result is the number of the first
/// that will do, from the window's first.
struct Batch {
    words: Words,
    prefix: [u32; 8],
    /// The first nonce.
    first: u64,
    bits: u32,
}

impl Batch {
    fn new(grind: &NonceSearch, first: u64, words: Words) -> Self {
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
