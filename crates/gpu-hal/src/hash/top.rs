//! The levels of a tree above parts that were made apart.

use alloc::vec;
use alloc::vec::Vec;
use core::iter::successors;

use super::{Digest, HashFn};
use crate::{ErrorKind, HalError, Leaves, Operation, Result};

/// The nodes of a tree from its root down to the roots of its parts: trees over blocks of its leaves, in order, made
/// with [`Leaves::log_parts`].
#[derive(Clone, Debug)]
pub struct Top {
    /// The root is at 1, the children of the node at `v` are at `2v` and `2v + 1`.
    nodes: Vec<Digest>,
}

impl Top {
    /// Above the roots of all parts, a power of two, of a tree that has these leaves.
    ///
    /// # Errors
    /// [`ErrorKind::Backend`] if a root is no digest of the hash function.
    pub fn new(roots: Vec<Digest>, leaves: Leaves, hash: HashFn) -> Result<Self> {
        let parts = roots.len();
        let mut nodes = vec![Digest::default(); parts];
        nodes.extend(roots);
        for node in (1..parts).rev() {
            let is_wide = leaves.is_wide(1 << node.ilog2());
            let parent = hash.tree_parent(&nodes[2 * node], &nodes[2 * node + 1], is_wide);
            let no_digest = || HalError::new(ErrorKind::Backend, Operation::Root, "the root of a part is no digest");
            nodes[node] = parent.ok_or_else(no_digest)?;
        }
        Ok(Self { nodes })
    }

    /// The root of the tree.
    pub fn root(&self) -> Digest {
        self.nodes[1]
    }

    /// The rest of the paths that end at the root of a part: its sibling, and so on, the root of the tree excluded.
    pub fn path(&self, part: usize) -> impl Iterator<Item = Digest> {
        let up = successors(Some(self.nodes.len() / 2 + part), |node| Some(node / 2));
        up.take_while(|node| *node > 1).map(|node| self.nodes[node ^ 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_the_parts_to_the_root() {
        let (hash, digest) = (HashFn::Keccak256, |byte| [byte; 32]);
        let leaves = Leaves { rows_per_leaf: 1, log_height: 5, log_parts: 0 };
        let top = Top::new((0..4).map(digest).collect(), leaves, hash).expect("digests");
        for part in 0..4 {
            let mut at = part;
            let root = top.path(part).fold(digest(part as u8), |node, sibling| {
                let (left, right) = if at % 2 == 0 { (node, sibling) } else { (sibling, node) };
                at /= 2;
                hash.parent(&left, &right).expect("digests")
            });
            assert_eq!((root, top.path(part).count()), (top.root(), 2));
        }
    }

    #[test]
    fn a_tree_of_one_part_has_its_root() {
        let leaves = Leaves { rows_per_leaf: 1, log_height: 5, log_parts: 0 };
        let top = Top::new(vec![[7; 32]], leaves, HashFn::Keccak256).expect("a digest");
        assert_eq!((top.root(), top.path(0).count()), ([7; 32], 0));
    }

    #[test]
    fn roots_that_are_no_digests_are_refused() {
        let leaves = Leaves { rows_per_leaf: 1, log_height: 5, log_parts: 0 };
        let error = Top::new(vec![[255; 32]; 2], leaves, HashFn::Poseidon252).expect_err("no felts");
        assert_eq!((error.kind, error.detail), (ErrorKind::Backend, "the root of a part is no digest".into()));
    }
}
