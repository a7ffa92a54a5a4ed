//! Digests of trees as stwo 2.3's prover makes them, by [`HashFn::Blake2sM31`].
//!
//! Its code for sixteen hashes at a time reduces a word `w` as `(w + (w + (w >> 31) + 1 >> 31)) mod 2^31`, in sums of
//! 32 bits. One of these overflows for two words: `2^32 - 2` becomes `p - 1` and not 0, `2^32 - 1` becomes `p` and
//! not 1. Levels of sixteen nodes and more are made by that code, leaves where no column has fewer than sixteen. So the
//! root depends on it, and proofs are the reference's only if trees are made so. Verifiers do otherwise: they refuse a
//! proof that opens a node with such a word.

use field::{M31, PrimeField};

use super::definition::blake2s;
use super::{Digest, HashFn, reduced};
use crate::{Leaves, Shape};

/// Log2 of the hashes that are made at a time.
const LOG_LANES: u32 = 4;

impl HashFn {
    /// [`Self::leaf`] as provers make it, in a tree that [has wide leaves](Leaves::has_wide_leaves) or has none.
    pub fn tree_leaf<F: PrimeField>(self, elements: impl IntoIterator<Item = F>, is_wide: bool) -> Digest {
        match self {
            Self::Blake2sM31 if is_wide => {
                widely_reduced(blake2s(elements.into_iter().map(|element| (element.as_u64() as u32).to_le_bytes())))
            }
            _ => self.leaf(elements),
        }
    }

    /// [`Self::parent`] as provers make it, on a level that [is wide](Leaves::is_wide) or is not. `None` if a child can
    /// be no node of a tree.
    pub fn tree_parent(self, left: &Digest, right: &Digest, is_wide: bool) -> Option<Digest> {
        match self {
            Self::Blake2sM31 if is_wide => Some(widely_reduced(blake2s([left, right]))),
            // A child may have the word p.
            Self::Blake2sM31 => Some(reduced(blake2s([left, right]))),
            _ => self.parent(left, right),
        }
    }
}

impl Leaves {
    /// Log2 of the fewest nodes of a level that are made sixteen at a time.
    pub const fn log_wide(&self) -> u32 {
        LOG_LANES.saturating_sub(self.log_parts)
    }

    /// Whether the nodes of a level of the tree, so many, are made sixteen at a time.
    pub const fn is_wide(&self, nodes: usize) -> bool {
        nodes >= 1 << self.log_wide()
    }

    /// Whether the leaves over these tables are made sixteen at a time.
    pub fn has_wide_leaves(&self, tables: &[Shape]) -> bool {
        let with_columns = tables.iter().filter(|table| table.width > 0);
        with_columns
            .map(|table| (1 << table.log_height) / self.rows_per_leaf)
            .min()
            .is_some_and(|least| self.is_wide(least))
    }
}

fn widely_reduced(digest: Digest) -> Digest {
    let mut words = reduced(digest);
    for (reduced, whole) in words.as_chunks_mut().0.iter_mut().zip(digest.as_chunks().0) {
        let whole = u32::from_le_bytes(*whole);
        if whole >= u32::MAX - 1 {
            *reduced = (whole & M31::ORDER as u32).to_le_bytes();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code for sixteen hashes, as far as sums of 32 bits are concerned.
    fn of_lanes(word: u32) -> u32 {
        (((word >> 31).wrapping_add(word).wrapping_add(1) >> 31).wrapping_add(word)) & 0x7fff_ffff
    }

    #[test]
    fn two_words_are_reduced_wrongly() {
        let p = M31::ORDER as u32;
        let words: [u32; 8] = [0, 1, p - 1, p, p + 1, 2 * p - 1, 2 * p, 2 * p + 1];
        let bytes = |words: [u32; 8]| {
            let mut digest = Digest::default();
            digest.as_chunks_mut().0.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
            digest
        };
        assert_eq!(reduced(bytes(words)), bytes([0, 1, p - 1, 0, 1, p - 1, 0, 1]));
        assert_eq!(widely_reduced(bytes(words)), bytes([0, 1, p - 1, 0, 1, p - 1, p - 1, p]));
        assert_eq!(widely_reduced(bytes(words)), bytes(words.map(of_lanes)));
    }

    #[test]
    fn levels_of_sixteen_nodes_are_wide() {
        let leaves = Leaves { rows_per_leaf: 4, log_height: 8, log_parts: 0 };
        assert!(leaves.is_wide(16) && !leaves.is_wide(8));
        let part = Leaves { log_parts: 2, ..leaves };
        assert!(part.is_wide(4) && !part.is_wide(2));
        let table = |log_height| Shape::new((), 1, log_height);
        assert!(leaves.has_wide_leaves(&[table(6), Shape::new((), 0, 2)]));
        assert!(!leaves.has_wide_leaves(&[table(8), table(5)]));
        assert!(part.has_wide_leaves(&[table(4)]) && !part.has_wide_leaves(&[]));
    }
}
