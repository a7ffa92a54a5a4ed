//! Hashes of rows of M31 columns, of pairs of digests and of nonces: Blake2s-256, one hash a lane, and Poseidon252.
//!
//! Sixteen leaves are sixteen consecutive elements of a column: the words that a lane absorbs are loaded as they lie.
//! The lowest levels of a tree go from level to level in registers: left children are the even lanes, right ones the
//! odd.

mod compress;
mod grind;
mod leaves;
mod poseidon252;
mod shared;
mod window;

use compress::{Words, compress, digest, first_state, load_pairs, node, store_digests};
use gpu_hal::{CircleStark, Digest, HalError, HashFn, Operation, Result};
pub(super) use grind::grind;
use leaves::Leaves;
use poseidon252::Poseidon252;
use rayon::prelude::*;
use shared::{LiftedStates, TILE, TILE_LEAVES, absorbed};

use crate::circle::m31::LANES;
use crate::cpu::TreeLeaves;
use crate::merkle::{self, TreeHash};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// The hash functions that there is code for.
pub(super) const HASHES: &[HashFn] = &[HashFn::Blake2s, HashFn::Blake2sM31, HashFn::Poseidon252];

/// [`crate::CpuProtocol`]'s `build_tree`.
pub(super) fn build(leaves: &TreeLeaves<'_, '_, CircleStark>, dropped: u32, nodes: &mut [Digest]) -> Result<()> {
    match leaves.hash {
        HashFn::Blake2s => merkle::build(&Blake2s::new(leaves, false), dropped, nodes),
        HashFn::Blake2sM31 => merkle::build(&Blake2s::new(leaves, true), dropped, nodes),
        HashFn::Poseidon252 => merkle::build(&Poseidon252::new(leaves), dropped, nodes),
        other @ (HashFn::Keccak256 | HashFn::Poseidon2) => {
            return Err(HalError::unsupported(Operation::Merkle, format!("hash function {other}")));
        }
    }
    Ok(())
}

/// [`crate::CpuProtocol`]'s `siblings`.
pub(super) fn siblings(
    leaves: &TreeLeaves<'_, '_, CircleStark>,
    of: &[usize],
    dropped: u32,
) -> Result<Vec<Vec<Digest>>> {
    match leaves.hash {
        HashFn::Blake2s => Ok(siblings_by(&Blake2s::new(leaves, false), of, dropped)),
        HashFn::Blake2sM31 => Ok(siblings_by(&Blake2s::new(leaves, true), of, dropped)),
        HashFn::Poseidon252 => Ok(siblings_by(&Poseidon252::new(leaves), of, dropped)),
        other @ (HashFn::Keccak256 | HashFn::Poseidon2) => {
            Err(HalError::unsupported(Operation::Open, format!("hash function {other}")))
        }
    }
}

fn siblings_by(hash: &impl TreeHash, of: &[usize], dropped: u32) -> Vec<Vec<Digest>> {
    of.par_iter().with_min_len(16).map(|leaf| merkle::siblings(hash, *leaf, dropped)).collect()
}

/// A tree's leaves and the instructions to use. What words digests have is a value, so that the kernels are compiled
/// once.
struct Blake2s<'a> {
    level: SimdLevel,
    /// Whether words of digests are reduced mod `2^31 - 1`.
    reduces: bool,
    of: gpu_hal::Leaves,
    /// Words of leaves.
    words: Words,
    leaves: Leaves<'a>,
}

impl<'a> Blake2s<'a> {
    fn new(of: &TreeLeaves<'_, 'a, CircleStark>, reduces: bool) -> Self {
        let (leaves, words) = (Leaves::new(of.tables, of.leaves), words(reduces, of.has_wide_leaves));
        Self { level: of.level, reduces, of: of.leaves, words, leaves }
    }
}

fn words(reduces: bool, is_wide: bool) -> Words {
    match (reduces, is_wide) {
        (false, _) => Words::Whole,
        (true, false) => Words::Reduced,
        (true, true) => Words::WidelyReduced,
    }
}

impl TreeHash for Blake2s<'_> {
    fn count(&self) -> usize {
        self.leaves.count()
    }

    fn elements(&self) -> usize {
        self.leaves.words()
    }

    fn leaves(&self, first: usize, out: &mut [Digest]) {
        self.bottom(first, 0, out, &mut []);
    }

    fn nodes(&self, children: &[Digest], out: &mut [Digest], of_level: usize) {
        dispatch(self.level, NodeKernel { words: words(self.reduces, self.of.is_wide(of_level)), children, out });
    }

    fn bottom(&self, first: usize, height: u32, out: &mut [Digest], scratch: &mut [Digest]) {
        if height == 0 || (out.len() << height >= TILE_LEAVES && 1 << height <= TILE) {
            // A tile has so many nodes that all levels are wide.
            let words = (self.words, words(self.reduces, true));
            return dispatch(self.level, LeafKernel { words, leaves: &self.leaves, first, height, out });
        }
        let (below, rest) = scratch.split_at_mut(2 * out.len());
        self.bottom(first, height - 1, below, rest);
        self.nodes(below, out, self.count() >> height);
    }
}

/// Digests of the nodes `height` levels above leaves `first..`; above level 0 in whole tiles.
struct LeafKernel<'k, 'a> {
    /// The words of leaves, and of nodes.
    words: (Words, Words),
    leaves: &'k Leaves<'a>,
    first: usize,
    height: u32,
    out: &'k mut [Digest],
}

impl Kernel for LeafKernel<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { words: (of_leaf, of_node), leaves, mut first, height, out } = self;
        let (top, lifted) = leaves.stages().split_last().expect("there is a stage that is not lifted");
        let shared = LiftedStates::after::<I::M31>(leaves, lifted, first..first + (out.len() << height));
        for tile in out.chunks_mut(TILE_LEAVES >> height) {
            let groups = (tile.len() << height).div_ceil(LANES);
            let mut states = absorbed::<I::M31>(leaves, shared.as_ref(), top, first, groups);
            for state in &mut states[..groups] {
                *state = digest(*state, of_leaf);
            }
            let mut left = groups;
            for _ in 0..height {
                for group in 0..left / 2 {
                    states[group] = node(&states[2 * group], &states[2 * group + 1], of_node);
                }
                left /= 2;
            }
            for (state, out) in states[..left].iter().zip(tile.chunks_mut(LANES)) {
                store_digests(state, out);
            }
            first += tile.len() << height;
        }
    }
}

struct NodeKernel<'k> {
    words: Words,
    children: &'k [Digest],
    out: &'k mut [Digest],
}

impl Kernel for NodeKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        for (pairs, out) in self.children.chunks(2 * LANES).zip(self.out.chunks_mut(LANES)) {
            let message = load_pairs::<I::M31>(pairs);
            store_digests(&digest(compress(&first_state(), &message, 64, true), self.words), out);
        }
    }
}
