//! Digests of leaves, and authentication paths (section 2).
//!
//! A leaf is a list of base elements (an extension element is its coordinates). Nothing separates leaves from nodes,
//! and nothing in a digest says how long a leaf is: the shape of a tree is fixed by the protocol and must be checked
//! before.
//!
//! [`verify_paths`] checks all paths into one tree together, level by level, and hashes each inner node once: queries
//! share most of the nodes near the root.

use alloc::vec::Vec;

use field::{ExtensionField, Goldilocks};
use gpu_hal::{Digest, HashFn};

/// Digest of a leaf: the coordinates of these elements, in order.
pub fn leaf_digest<'a, E: ExtensionField<Goldilocks>>(
    hash: HashFn,
    elements: impl IntoIterator<Item = &'a E>,
) -> Digest {
    hash.leaf(elements.into_iter().flat_map(|element| element.coordinates().iter().copied()))
}

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The path is not as long as the tree is deep.
    #[error("a path of {found} digests in a tree of depth {expected}")]
    Length {
        /// Depth of the tree.
        expected: u32,
        /// Digests in the path.
        found: usize,
    },
    /// There is no such leaf.
    #[error("no leaf {index} in a tree of depth {depth}")]
    Index {
        /// The index.
        index: u64,
        /// Depth of the tree.
        depth: u32,
    },
    /// Leaf and path do not lead to the root.
    #[error("leaf and path do not lead to the root")]
    Root,
}

/// A leaf that is claimed to be in a tree.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// Index of the leaf.
    pub index: u64,
    /// Its digest.
    pub leaf: Digest,
    /// The siblings from the leaf level upward, root excluded.
    pub path: &'a [Digest],
}

fn check_shape(claim: &Claim<'_>, depth: u32) -> Result<(), PathError> {
    if claim.path.len() != depth as usize {
        return Err(PathError::Length { expected: depth, found: claim.path.len() });
    }
    if depth < u64::BITS && claim.index >> depth != 0 {
        return Err(PathError::Index { index: claim.index, depth });
    }
    Ok(())
}

/// The children of the parent of node `index`, whose digest is `node`, in order.
fn pair(index: u64, node: Digest, sibling: Digest) -> (Digest, Digest) {
    if index & 1 == 0 { (node, sibling) } else { (sibling, node) }
}

/// Checks many paths in one tree with `2^depth` leaves; says which claim is wrong. Claims may repeat and may be in any
/// order.
///
/// It accepts claims that it accepts one by one, unless they hold a collision of the hash function: two claims that
/// meet in a node must agree on its children. One such node is hashed once.
///
/// # Errors
/// The position of a claim that is wrong (or, where two contradict each other, of one of the two), and why.
pub fn verify_paths(hash: HashFn, root: &Digest, depth: u32, claims: &[Claim<'_>]) -> Result<(), (usize, PathError)> {
    for (position, claim) in claims.iter().enumerate() {
        check_shape(claim, depth).map_err(|error| (position, error))?;
    }
    // One entry per claim, by index; halving the indices keeps the order.
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by_key(|&position| claims[position].index);
    let mut nodes: Vec<Digest> = order.iter().map(|&position| claims[position].leaf).collect();
    for level in 0..depth {
        let mut last: Option<(u64, (Digest, Digest), Digest)> = None;
        for (&position, node) in order.iter().zip(&mut nodes) {
            let claim = &claims[position];
            let index = claim.index >> level;
            let children = pair(index, *node, claim.path[level as usize]);
            *node = match last {
                Some((parent, known, digest)) if parent == index >> 1 => {
                    if known != children {
                        return Err((position, PathError::Root));
                    }
                    digest
                }
                _ => {
                    let digest = hash.parent(&children.0, &children.1).ok_or((position, PathError::Root))?;
                    last = Some((index >> 1, children, digest));
                    digest
                }
            };
        }
    }
    match order.iter().zip(&nodes).find(|(_, node)| *node != root) {
        None => Ok(()),
        Some((&position, _)) => Err((position, PathError::Root)),
    }
}
