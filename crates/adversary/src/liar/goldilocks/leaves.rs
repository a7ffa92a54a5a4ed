//! Nodes that are taken for leaves: nothing in a digest tells them apart.

use field::{Goldilocks, PrimeField};
use goldilocks_proof::merkle::leaf_digest;
use goldilocks_proof::{DeepOpening, HashFn};

use super::identity::Cubic;

/// Two digests read as the eight elements of a leaf, if they are.
fn as_leaf(left: &[u8; 32], right: &[u8; 32]) -> Option<Vec<Goldilocks>> {
    let words = [left, right].into_iter().flat_map(|digest| digest.chunks_exact(8));
    words.map(|word| Goldilocks::from_canonical(u64::from_be_bytes(word.try_into().ok()?))).collect()
}

/// Opens nodes one level up as leaves of eight main columns, with paths that are one shorter; the digests are right.
/// Returns of how many queries: of the others the digests are no elements.
///
/// # Panics
/// If the digests are not of this function.
pub fn nodes_as_leaves(hash: HashFn, openings: &mut [DeepOpening<Cubic>]) -> usize {
    let mut opened = 0;
    for main in openings.iter_mut().map(|opening| &mut opening.main).filter(|main| main.evaluations.len() == 8) {
        let leaf = leaf_digest(hash, &main.evaluations);
        let sibling = main.path[0];
        assert_eq!(sibling, leaf_digest(hash, &main.evaluations_sym), "leaves 2i and 2i + 1 are siblings");
        let Some(values) = as_leaf(&leaf, &sibling) else { continue };
        assert_eq!(Some(leaf_digest(hash, &values)), hash.parent(&leaf, &sibling), "the same bytes");
        main.evaluations = values;
        main.path.remove(0);
        opened += 1;
    }
    opened
}
