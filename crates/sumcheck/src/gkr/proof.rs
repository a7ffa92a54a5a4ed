//! A proof and what is left of it.

use alloc::vec::Vec;

use field::Field;

use super::gate::Kind;
use crate::Univariate;
use crate::multilinear::line;

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instance {
    /// The gate of the tree.
    pub kind: Kind,
    /// Log2 of the rows of its columns, from 1 to [`MAX_VARIABLES`](crate::MAX_VARIABLES).
    pub variables: usize,
}

/// Two values of each column of a layer: of the children of a node, at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask<E>(pub Vec<[E; 2]>);

impl<E: Field> Mask<E> {
    /// The values of one child.
    pub(crate) fn child(&self, right: bool) -> Vec<E> {
        self.0.iter().map(|values| values[usize::from(right)]).collect()
    }

    /// The values of all columns at the point between the children.
    pub(crate) fn at(&self, challenge: E) -> Vec<E> {
        self.0.iter().map(|[left, right]| line(*left, *right, challenge)).collect()
    }
}

/// A proof of a batch: stwo's `GkrBatchProof`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchProof<E> {
    /// A sum-check for each layer, from the outputs on: the one of layer `k` has `k` rounds.
    pub sumchecks: Vec<Vec<Univariate<E>>>,
    /// For each tree its masks, from the output on: one for each variable.
    pub masks: Vec<Vec<Mask<E>>>,
    /// For each tree its output: the product, or numerator and denominator of the sum.
    pub outputs: Vec<Vec<E>>,
}

/// The claims that a proof leaves to its caller: stwo's `GkrArtifact`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact<E> {
    /// A point of as many variables as the largest tree has. A smaller one is claimed at the last of its coordinates.
    pub point: Vec<E>,
    /// For each tree the claimed values of its columns at the point. Those of fractions have a numerator first, of
    /// [`Kind::LogUpSingles`] too, where it is one.
    pub claims: Vec<Vec<E>>,
    /// For each tree its number of variables.
    pub variables: Vec<usize>,
}

/// A proof, and what it leaves.
pub type Proven<E> = (BatchProof<E>, Artifact<E>);

impl<E> Artifact<E> {
    /// The point of a tree's claims.
    ///
    /// # Panics
    /// If there is no such tree.
    pub fn point_of(&self, instance: usize) -> &[E] {
        &self.point[self.point.len() - self.variables[instance]..]
    }
}
