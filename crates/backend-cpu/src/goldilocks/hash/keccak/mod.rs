//! Keccak-256 (original padding, rate 136) of rows, of pairs of digests and of nonces, one hash a lane.

mod grind;
mod permutation;
mod random;

use gpu_hal::Digest;

pub use grind::grind;
use permutation::{STATE, permute};
pub(crate) use random::{RandomBlocks, WORDS as RANDOM_WORDS};

use super::digests::{read_pairs, write_digests};
use super::lanes::Lanes;
use super::leaves::Leaves;
use super::rows::RowHash;

/// Words that a block takes: 136 bytes.
const RATE: usize = 17;
/// First byte of the padding, as a little-endian word.
const PAD_FIRST: u64 = 1;
/// Last byte of the padding, in the last word of the block.
const PAD_LAST: u64 = 0x80 << 56;
/// Registers that absorb a column together, so that a column is read in runs of up to 512 bytes.
const TILE: usize = 8;

/// Keccak-256, a state a lane.
#[derive(Clone, Copy)]
pub(super) struct Keccak;

impl RowHash for Keccak {
    #[inline(always)]
    fn leaves<V: Lanes>(self, leaves: Leaves<'_>, mut first: usize, out: &mut [Digest]) {
        for tile in out.chunks_mut(V::LANES * TILE) {
            let groups = tile.len().div_ceil(V::LANES);
            let mut states = [[V::splat_raw(0); STATE]; TILE];
            let mut position = 0;
            for row in 0..leaves.rows_per_leaf() {
                for (index, column) in leaves.columns().iter().enumerate() {
                    for (group, state) in states[..groups].iter_mut().enumerate() {
                        let leaf = first + group * V::LANES;
                        // Canonical bytes are big-endian, words of the state little-endian.
                        let word = leaves.load::<V>(column, leaf, row).swap_bytes();
                        state[position] = state[position].xor(word);
                    }
                    position += 1;
                    if position == RATE {
                        position = 0;
                        // Columns lie far apart, so no hardware foresees the next ones: fetch them under the
                        // permutations.
                        let ahead = &leaves.columns()[index + 1..];
                        let ahead = &ahead[..ahead.len().min(RATE)];
                        for (group, state) in states[..groups].iter_mut().enumerate() {
                            leaves.prefetch::<V>(ahead, first + group * V::LANES);
                            permute(state);
                        }
                    }
                }
            }
            for (group, state) in states[..groups].iter_mut().enumerate() {
                state[position] = state[position].xor(V::splat_raw(PAD_FIRST));
                state[RATE - 1] = state[RATE - 1].xor(V::splat_raw(PAD_LAST));
                permute(state);
                write_digests([state[0], state[1], state[2], state[3]], &mut tile[group * V::LANES..]);
            }
            first += tile.len();
        }
    }

    #[inline(always)]
    fn nodes<V: Lanes>(self, children: &[Digest], out: &mut [Digest]) {
        for (pairs, out) in children.chunks(2 * V::LANES).zip(out.chunks_mut(V::LANES)) {
            let words = read_pairs::<V>(pairs);
            let mut state = [V::splat_raw(0); STATE];
            state[..8].copy_from_slice(&words);
            state[8] = V::splat_raw(PAD_FIRST);
            state[RATE - 1] = V::splat_raw(PAD_LAST);
            permute(&mut state);
            write_digests([state[0], state[1], state[2], state[3]], out);
        }
    }
}
