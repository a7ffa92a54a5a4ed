//! A proof (section 14): that of stwo 2.3.0, in types of this project.

use field::{M31, QM31};
use gpu_hal::Digest;

use crate::{CircleOptions, Suite};

/// A proof. Lists are by tree, column and place, as the fields say; trees are preprocessed, main, interaction if there
/// is one, composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The options that it was made with.
    pub config: CircleOptions,
    /// The root of each tree.
    pub commitments: Vec<Digest>,
    /// By tree, column and sample point: the column's polynomial there.
    pub sampled_values: Vec<Vec<Vec<QM31>>>,
    /// By tree: sibling nodes, from the leaf level upward, in ascending order of positions.
    pub decommitments: Vec<Vec<Digest>>,
    /// By tree, column and query.
    pub queried_values: Vec<Vec<Vec<M31>>>,
    /// The nonce of the proof of work.
    pub proof_of_work: u64,
    /// The layers of FRI.
    pub fri_proof: FriProof,
}

impl Proof {
    /// Whether every node of a tree is a digest of the suite's hash function. A decoded proof's are.
    pub fn is_of(&self, suite: Suite) -> bool {
        let layers = self.fri_proof.layers();
        let layers = layers.flat_map(|layer| layer.decommitment.iter().chain([&layer.commitment]));
        let nodes = self.decommitments.iter().flatten().chain(&self.commitments);
        nodes.chain(layers).all(|node| suite.tree().is_digest(node))
    }
}

/// The layers of FRI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FriProof {
    /// The first.
    pub first_layer: FriLayer,
    /// The layers between.
    pub inner_layers: Vec<FriLayer>,
    /// The coefficients of the last, bit-reversed.
    pub last_layer: Vec<QM31>,
}

impl FriProof {
    /// All committed layers, the first one first.
    pub fn layers(&self) -> impl Iterator<Item = &FriLayer> {
        std::iter::once(&self.first_layer).chain(&self.inner_layers)
    }
}

/// A committed layer of FRI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FriLayer {
    /// The values of opened groups that the verifier cannot compute, in ascending order of positions.
    pub fri_witness: Vec<QM31>,
    /// Sibling nodes, as in [`Proof::decommitments`].
    pub decommitment: Vec<Digest>,
    /// The root of its tree.
    pub commitment: Digest,
}
