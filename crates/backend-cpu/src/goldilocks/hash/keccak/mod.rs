//! Keccak-256 (original padding, rate 136) of rows, of pairs of digests and of nonces, one hash a lane.

mod grind;
mod permutation;

use gpu_hal::Digest;

pub use grind::grind;
use permutation::{STATE, permute};

use super::digests::{read_pairs, write_digests};
use super::lanes::Lanes;
use super::leaves::Leaves;
use super::rows::RowHash;
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Words that a block takes: 136 bytes.
const RATE: usize = 17;
/// First byte of the padding, as a little-endian word.
const PAD_FIRST: u64 = 1;
/// Last byte of the padding, in the last word of the block.
const PAD_LAST: u64 = 0x80 << 56;
/// Registers that absorb a column together, so that a column is read in runs of up to 512 bytes.
const TILE: usize = 8;

/// Keccak-256 at a level.
#[derive(Clone, Copy)]
pub(super) struct Keccak(pub(super) SimdLevel);

impl RowHash for Keccak {
    fn leaves(&self, leaves: Leaves<'_>, first: usize, out: &mut [Digest]) {
        dispatch(self.0, LeafKernel { leaves, first, out });
    }

    fn nodes(&self, children: &[Digest], out: &mut [Digest]) {
        dispatch(self.0, NodeKernel { children, out });
    }
}

struct LeafKernel<'a> {
    leaves: Leaves<'a>,
    first: usize,
    out: &'a mut [Digest],
}

impl Kernel for LeafKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        match self.leaves.rows_per_leaf() {
            1 => self.absorb::<I::Words, 1>(),
            2 => self.absorb::<I::Words, 2>(),
            _ => self.absorb::<I::Words, 4>(),
        }
    }
}

impl LeafKernel<'_> {
    #[inline(always)]
    fn absorb<V: Lanes, const ROWS: usize>(self) {
        let Self { leaves, mut first, out } = self;
        for tile in out.chunks_mut(V::LANES * TILE) {
            let groups = tile.len().div_ceil(V::LANES);
            let mut states = [[V::splat(0); STATE]; TILE];
            let mut position = 0;
            for row in 0..ROWS {
                for (index, column) in leaves.columns().iter().enumerate() {
                    for (group, state) in states[..groups].iter_mut().enumerate() {
                        let leaf = first + group * V::LANES;
                        // Canonical bytes are big-endian, words of the state little-endian.
                        let word = leaves.load::<V, ROWS>(column, leaf, row).swap_bytes();
                        state[position] = state[position].xor(word);
                    }
                    position += 1;
                    if position == RATE {
                        position = 0;
                        // Columns lie far apart, so no hardware foresees the next ones: fetch them under the permutations.
                        let ahead = &leaves.columns()[index + 1..];
                        let ahead = &ahead[..ahead.len().min(RATE)];
                        for (group, state) in states[..groups].iter_mut().enumerate() {
                            leaves.prefetch::<V, ROWS>(ahead, first + group * V::LANES);
                            permute(state);
                        }
                    }
                }
            }
            for (group, state) in states[..groups].iter_mut().enumerate() {
                state[position] = state[position].xor(V::splat(PAD_FIRST));
                state[RATE - 1] = state[RATE - 1].xor(V::splat(PAD_LAST));
                permute(state);
                write_digests([state[0], state[1], state[2], state[3]], &mut tile[group * V::LANES..]);
            }
            first += tile.len();
        }
    }
}

struct NodeKernel<'a> {
    children: &'a [Digest],
    out: &'a mut [Digest],
}

impl Kernel for NodeKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        for (pairs, out) in self.children.chunks(2 * I::Words::LANES).zip(self.out.chunks_mut(I::Words::LANES)) {
            let words = read_pairs::<I::Words>(pairs);
            let mut state = [I::Words::splat(0); STATE];
            state[..8].copy_from_slice(&words);
            state[8] = I::Words::splat(PAD_FIRST);
            state[RATE - 1] = I::Words::splat(PAD_LAST);
            permute(&mut state);
            write_digests([state[0], state[1], state[2], state[3]], out);
        }
    }
}
