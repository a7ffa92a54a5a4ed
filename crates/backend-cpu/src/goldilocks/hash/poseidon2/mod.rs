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
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Registers' worth of states that are permuted in step.
const INTERLEAVED: usize = 2;
/// Registers that absorb a column together, so that a column is read in runs of up to 512 bytes.
const TILE: usize = 8;

/// Poseidon2 at a level.
#[derive(Clone, Copy)]
pub(super) struct Poseidon2(pub(super) SimdLevel);

impl RowHash for Poseidon2 {
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
        let columns = leaves.columns();
        let elements = ROWS * columns.len();
        for tile in out.chunks_mut(V::LANES * TILE) {
            let groups = tile.len().div_ceil(V::LANES);
            let mut states = [[V::splat(0); WIDTH]; TILE];
            for start in (0..elements).step_by(RATE) {
                for (position, element) in (start..elements.min(start + RATE)).enumerate() {
                    let (row, column) = (element / columns.len(), columns[element % columns.len()]);
                    for (group, state) in states[..groups].iter_mut().enumerate() {
                        state[position] = leaves.load::<V, ROWS>(column, first + group * V::LANES, row);
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
}

struct NodeKernel<'a> {
    children: &'a [Digest],
    out: &'a mut [Digest],
}

impl Kernel for NodeKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let step = I::Words::LANES * INTERLEAVED;
        for (pairs, out) in self.children.chunks(2 * step).zip(self.out.chunks_mut(step)) {
            let mut states = [[I::Words::splat(0); WIDTH]; INTERLEAVED];
            for (state, pairs) in states.iter_mut().zip(pairs.chunks(2 * I::Words::LANES)) {
                *state = read_pairs::<I::Words>(pairs);
                for word in state {
                    *word = word.swap_bytes();
                }
            }
            permute(&mut states);
            for (state, out) in states.iter().zip(out.chunks_mut(I::Words::LANES)) {
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
