//! A hash function of rows as that of a tree's leaves.

use gpu_hal::Digest;

use super::leaves::Leaves;
use crate::merkle::TreeHash;

/// A hash function of rows of Goldilocks elements and of pairs of digests.
pub(super) trait RowHash: Sync {
    /// The digests of leaves `first..first + out.len()`.
    fn leaves(&self, leaves: Leaves<'_>, first: usize, out: &mut [Digest]);

    /// The digests of `out.len()` pairs of digests.
    fn nodes(&self, children: &[Digest], out: &mut [Digest]);
}

/// A hash function and its leaves.
pub(super) struct Rows<'a, H> {
    pub(super) hash: H,
    pub(super) leaves: Leaves<'a>,
}

impl<H: RowHash> TreeHash for Rows<'_, H> {
    fn count(&self) -> usize {
        self.leaves.count()
    }

    fn leaves(&self, first: usize, out: &mut [Digest]) {
        self.hash.leaves(self.leaves, first, out);
    }

    fn nodes(&self, children: &[Digest], out: &mut [Digest]) {
        self.hash.nodes(children, out);
    }
}
