//! Poseidon2 of rows and of pairs of digests, one hash a lane.

mod arithmetic;
mod permutation;
#[cfg(test)]
mod tests;

use gpu_hal::Digest;
use gpu_hal::hash::poseidon2::{RATE, WIDTH};
use permutation::permute;

use super::digests::{read_pairs, write_digests};
use super::lanes::Lanes;
use super::leaves::Leaves;
use super::rows::RowHash;

/// Registers' worth of states that are permuted in step.
const INTERLEAVED: usize = 2;
/// Registers that absorb a column together, so that a column is read in runs of up to 512 bytes.
const TILE: usize = 8;

/// Poseidon2, a state a lane.
#[derive(Clone, Copy)]
pub(super) struct Poseidon2;

impl RowHash for Poseidon2 {
    #[inline(always)]
    fn leaves<V: Lanes>(self, leaves: Leaves<'_>, mut first: usize, out: &mut [Digest]) {
        let columns = leaves.columns();
        let elements = leaves.rows_per_leaf() * columns.len();
        for tile in out.chunks_mut(V::LANES * TILE) {
            let groups = tile.len().div_ceil(V::LANES);
            let mut states = [[V::splat_raw(0); WIDTH]; TILE];
            for start in (0..elements).step_by(RATE) {
                for (position, element) in (start..elements.min(start + RATE)).enumerate() {
                    let (row, column) = (element / columns.len(), columns[element % columns.len()]);
                    for (group, state) in states[..groups].iter_mut().enumerate() {
                        state[position] = leaves.load::<V>(column, first + group * V::LANES, row);
                    }
                }
                permute_all(&mut states[..groups.next_multiple_of(INTERLEAVED)]);
            }
            for (group, state) in states[..groups].iter().enumerate() {
                write(state, &mut tile[group * V::LANES..]);
            }
            first += tile.len();
        }
    }

    #[inline(always)]
    fn nodes<V: Lanes>(self, children: &[Digest], out: &mut [Digest]) {
        let step = V::LANES * INTERLEAVED;
        for (pairs, out) in children.chunks(2 * step).zip(out.chunks_mut(step)) {
            let mut states = [[V::splat_raw(0); WIDTH]; INTERLEAVED];
            for (state, pairs) in states.iter_mut().zip(pairs.chunks(2 * V::LANES)) {
                *state = read_pairs::<V>(pairs);
                for word in state {
                    *word = word.swap_bytes();
                }
            }
            permute(&mut states);
            for (state, out) in states.iter().zip(out.chunks_mut(V::LANES)) {
                write(state, out);
            }
        }
    }
}

/// Permutes every state of a slice whose length is a multiple of [`INTERLEAVED`].
#[inline(always)]
fn permute_all<V: Lanes>(states: &mut [[V; WIDTH]]) {
    for states in states.as_chunks_mut::<INTERLEAVED>().0 {
        permute(states);
    }
}

/// Canonical elements as big-endian bytes.
#[inline(always)]
fn write<V: Lanes>(state: &[V; WIDTH], out: &mut [Digest]) {
    let mut words = [state[0], state[1], state[2], state[3]];
    for word in &mut words {
        *word = word.canonical().swap_bytes();
    }
    write_digests(words, out);
}
