//! The proof object of the compact format (section 7), its fields in the order of the bytes.

use alloc::vec::Vec;

use field::{ExtensionField, Goldilocks};
use gpu_hal::{CosetProtocol, Digest};

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<P: CosetProtocol> {
    /// All that is sent before the queries are drawn.
    pub head: Head<P::Ext>,
    /// The answers to the queries.
    pub openings: Openings<P>,
}

/// Parts 1 to 12 of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head<E> {
    /// Root of the tree over the main columns.
    pub main_root: Digest,
    /// Root of the tree over the auxiliary columns; `None` iff there are none.
    pub aux_root: Option<Digest>,
    /// Root of the tree over the composition parts.
    pub composition_root: Digest,
    /// Values out of the domain: the frame row by row, the anchors, the parts but the first.
    pub out_of_domain: Vec<E>,
    /// Roots of the layers.
    pub layers: Vec<Digest>,
    /// Coefficients of the last layer.
    pub last: Vec<E>,
    /// Nonces of the draws that have work, in order. They stand between the other parts.
    pub nonces: Vec<u64>,
}

/// The opened parts of all trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings<P: CosetProtocol> {
    /// Openings of the main columns.
    pub main: Opening<P::Base>,
    /// Openings of the auxiliary columns; `None` iff there are none.
    pub aux: Option<Opening<P::Ext>>,
    /// Openings of the composition parts.
    pub composition: Opening<P::Ext>,
    /// Openings of the layers, the first one first.
    pub layers: Vec<Opening<P::Ext>>,
}

/// The opened leaves of a tree, all together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<F> {
    /// The values that are sent, leaf after leaf.
    pub values: Vec<F>,
    /// The salts of the opened rows of a proof that hides its witness, row after row; none in layers.
    pub salts: Vec<Goldilocks>,
    /// The digests that are missing on the way to the root (section 5).
    pub digests: Vec<Digest>,
}

impl<E: ExtensionField<Goldilocks>> Opening<E> {
    /// The base elements of each of so many leaves, in order: of each row the elements, then its salts, of which there
    /// are `salts` a row.
    pub fn leaves(&self, leaves: usize, salts: usize) -> impl Iterator<Item = impl Iterator<Item = Goldilocks>> {
        // Without salts all rows of a leaf are as good as one.
        let of_leaf = self.salts.len().checked_div(salts * leaves).unwrap_or(1);
        let width = self.values.len().checked_div(of_leaf * leaves).unwrap_or(0);
        (0..leaves).map(move |leaf| {
            (leaf * of_leaf..(leaf + 1) * of_leaf).flat_map(move |row| {
                let values = self.values[row * width..].iter().take(width).flat_map(E::coordinates);
                values.chain(self.salts[row * salts..].iter().take(salts)).copied()
            })
        })
    }
}
