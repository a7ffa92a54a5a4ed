//! Hash functions of rows on lanes, one hash a lane, as in a tree.

use gpu_hal::Digest;

use super::lanes::Lanes;
use super::leaves::Leaves;
use crate::merkle::TreeHash;
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// A hash function of rows of Goldilocks elements and of pairs of digests. Its methods are `#[inline(always)]`.
pub(super) trait RowHash: Copy + Sync {
    /// The digests of leaves `first..first + out.len()`.
    fn leaves<V: Lanes>(self, leaves: Leaves<'_>, first: usize, out: &mut [Digest]);

    /// The digests of `out.len()` pairs of digests.
    fn nodes<V: Lanes>(self, children: &[Digest], out: &mut [Digest]);
}

/// A tree's hash function and leaves, and the instructions to use.
pub(super) struct Rows<'a, H> {
    pub(super) hash: H,
    pub(super) level: SimdLevel,
    pub(super) leaves: Leaves<'a>,
}

impl<H: RowHash> TreeHash for Rows<'_, H> {
    fn count(&self) -> usize {
        self.leaves.count()
    }

    fn elements(&self) -> usize {
        self.leaves.elements()
    }

    fn leaves(&self, first: usize, out: &mut [Digest]) {
        dispatch(self.level, LeafKernel { hash: self.hash, leaves: self.leaves, first, out });
    }

    fn nodes(&self, children: &[Digest], out: &mut [Digest], _of_level: usize) {
        dispatch(self.level, NodeKernel { hash: self.hash, children, out });
    }
}

struct LeafKernel<'a, H> {
    hash: H,
    leaves: Leaves<'a>,
    first: usize,
    out: &'a mut [Digest],
}

impl<H: RowHash> Kernel for LeafKernel<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { hash, leaves, first, out } = self;
        hash.leaves::<I::Words>(leaves, first, out);
    }
}

struct NodeKernel<'a, H> {
    hash: H,
    children: &'a [Digest],
    out: &'a mut [Digest],
}

impl<H: RowHash> Kernel for NodeKernel<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        self.hash.nodes::<I::Words>(self.children, self.out);
    }
}
