//! The contents of a proof of the Circle protocol.

use serde::Serialize;

use sdk::circle_proof::Proof;
use sdk::field::M31;

#[derive(Serialize)]
pub(crate) struct ContentsView {
    /// By tree: preprocessed, main, interaction if there is one, composition.
    roots: Vec<String>,
    columns: Vec<usize>,
    sampled_values: Vec<usize>,
    queried_positions: usize,
    sibling_nodes: Vec<usize>,
    fri_roots: Vec<String>,
    /// In stored order.
    last_layer: Vec<[u32; 4]>,
    nonce: String,
}

impl ContentsView {
    pub(crate) fn new(proof: &Proof) -> Self {
        let fri = &proof.fri_proof;
        Self {
            roots: proof.commitments.iter().map(hex::encode).collect(),
            columns: proof.sampled_values.iter().map(Vec::len).collect(),
            sampled_values: proof.sampled_values.iter().map(|tree| tree.iter().map(Vec::len).sum()).collect(),
            queried_positions: proof.queried_values.iter().flatten().map(Vec::len).max().unwrap_or(0),
            sibling_nodes: proof.decommitments.iter().map(Vec::len).collect(),
            fri_roots: fri.layers().map(|layer| hex::encode(layer.commitment)).collect(),
            last_layer: fri.last_layer.iter().map(|value| value.0.map(M31::value)).collect(),
            nonce: proof.proof_of_work.to_string(),
        }
    }

    pub(crate) fn rows(&self) -> Vec<(&'static str, String)> {
        let list = |counts: &[usize]| counts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        vec![
            ("roots", self.roots.join(", ")),
            ("columns", format!("{} by tree, {} sampled values", list(&self.columns), list(&self.sampled_values))),
            ("FRI", format!("{} roots, last layer of {}", self.fri_roots.len(), self.last_layer.len())),
            ("queries", format!("{} positions, {} sibling nodes", self.queried_positions, list(&self.sibling_nodes))),
            ("nonce", self.nonce.clone()),
        ]
    }
}
