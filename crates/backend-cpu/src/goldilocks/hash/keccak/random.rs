//! Blocks of uniform words from a key ([`gpu_hal::hash::random_block`]).

use super::permutation::{STATE, permute};
use super::{PAD_FIRST, PAD_LAST, RATE};
use crate::goldilocks::hash::lanes::{Lanes, Register};
use crate::simd::{Isa, Kernel};

/// Words of a block.
pub(crate) const WORDS: usize = 16;

/// The blocks from number `first` on of a column of a stream, as big-endian words.
pub(crate) struct RandomBlocks<'a> {
    pub(crate) key: [u64; 4],
    pub(crate) stream: u64,
    pub(crate) column: u64,
    pub(crate) first: u64,
    pub(crate) out: &'a mut [[u64; WORDS]],
}

impl Kernel for RandomBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { key, stream, column, first, out } = self;
        let mut start = [I::Words::splat_raw(0); STATE];
        let words = key.into_iter().chain([stream.swap_bytes(), column.swap_bytes()]);
        for (word, value) in start.iter_mut().zip(words) {
            *word = I::Words::splat_raw(value);
        }
        start[7] = I::Words::splat_raw(PAD_FIRST);
        start[RATE - 1] = I::Words::splat_raw(PAD_LAST);
        // SAFETY: eight words are enough for any number of lanes.
        let offsets = unsafe { I::Words::load_raw([0u64, 1, 2, 3, 4, 5, 6, 7].as_ptr()) };
        for (number, blocks) in out.chunks_mut(I::Words::LANES).enumerate() {
            let block = first + (number * I::Words::LANES) as u64;
            let mut state = start;
            state[6] = I::Words::splat_raw(block).add(offsets).swap_bytes();
            permute(&mut state);
            for (at, word) in state.iter().take(WORDS).enumerate() {
                let mut lanes = [0u64; 8];
                // SAFETY: eight words are enough for any number of lanes.
                unsafe { word.swap_bytes().store_raw(lanes.as_mut_ptr()) };
                blocks.iter_mut().zip(lanes).for_each(|(block, word)| block[at] = word);
            }
        }
    }
}
