//! A proof with the auxiliary data of stwo's prover, in stwo's types, as the crates of circuits and files take it.

use std::collections::BTreeMap;

use circle_air::secure;
use gpu_hal::Digest;
use stwo::core::fri::{FriLayerProofAux, FriProofAux};
use stwo::core::pcs::TreeVec;
use stwo::core::pcs::quotients::CommitmentSchemeProofAux;
use stwo::core::proof::{ExtendedStarkProof, StarkProof};
use stwo::core::vcs_lifted::verifier::MerkleDecommitmentLiftedAux;

use super::StwoHasher;
use crate::auxiliary::{Auxiliary, AuxiliaryLayer, Nodes};

/// A proof with its auxiliary data, which [`crate::auxiliary()`] has; `None` if there is no layer, or a node is no
/// digest.
pub fn extended<H: StwoHasher>(proof: StarkProof<H>, auxiliary: Auxiliary) -> Option<ExtendedStarkProof<H>> {
    let Auxiliary { drawn_queries, trees, layers } = auxiliary;
    let mut layers = layers.into_iter().map(layer);
    let aux = CommitmentSchemeProofAux {
        unsorted_query_locations: drawn_queries,
        trace_decommitment: TreeVec(trees.into_iter().map(nodes).collect::<Option<_>>()?),
        fri: FriProofAux { first_layer: layers.next()??, inner_layers: layers.collect::<Option<_>>()? },
    };
    Some(ExtendedStarkProof { proof, aux })
}

fn nodes<H: StwoHasher>(nodes: Nodes) -> Option<MerkleDecommitmentLiftedAux<H>> {
    let level = |level: BTreeMap<usize, Digest>| {
        level.into_iter().map(|(at, digest)| Some((at, H::to_stwo(&digest)?))).collect::<Option<_>>()
    };
    Some(MerkleDecommitmentLiftedAux { all_node_values: nodes.into_iter().map(level).collect::<Option<_>>()? })
}

fn layer<H: StwoHasher>(AuxiliaryLayer { values, nodes: of }: AuxiliaryLayer) -> Option<FriLayerProofAux<H>> {
    let values = values.into_iter().map(|(at, value)| (at, secure(value))).collect();
    Some(FriLayerProofAux { all_values: vec![values], decommitment: nodes(of)? })
}
