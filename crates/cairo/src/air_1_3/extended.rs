//! A proof with the auxiliary data of stwo's prover: the reference's `CairoProof`, which its tools for circuits read.
//!
//! The reference's maps have no order, and its files differ from run to run; these maps are sorted.

use std::collections::BTreeMap;

use cairo_air::CairoProofForRustVerifier;
use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use circle_air::{qm31, secure};
use circle_proof::auxiliary::Nodes;
use circle_proof::{Auxiliary, AuxiliaryLayer};
use serde::{Deserialize, Serialize};
use stwo::core::fields::m31::P;
use stwo::core::fields::qm31::SecureField;
use stwo::core::proof::StarkProof;
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::PreProcessedTraceVariant;

use super::Proof;

/// A proof with its auxiliary data. The fields are in the order of the reference's.
#[derive(Serialize, Deserialize)]
pub struct Extended {
    claim: CairoClaim,
    interaction_pow: u64,
    interaction_claim: CairoInteractionClaim,
    extended_stark_proof: ExtendedStarkProof,
    channel_salt: u32,
    preprocessed_trace_variant: PreProcessedTraceVariant,
}

#[derive(Serialize, Deserialize)]
struct ExtendedStarkProof {
    proof: StarkProof<Blake2sMerkleHasher>,
    aux: Aux,
}

#[derive(Serialize, Deserialize)]
struct Aux {
    unsorted_query_locations: Vec<usize>,
    trace_decommitment: Vec<DecommitmentAux>,
    fri: FriAux,
}

#[derive(Serialize, Deserialize)]
struct FriAux {
    first_layer: LayerAux,
    inner_layers: Vec<LayerAux>,
}

#[derive(Serialize, Deserialize)]
struct LayerAux {
    /// One map.
    all_values: Vec<BTreeMap<usize, SecureField>>,
    decommitment: DecommitmentAux,
}

#[derive(Serialize, Deserialize)]
struct DecommitmentAux {
    all_node_values: Vec<BTreeMap<usize, Blake2sHash>>,
}

impl Extended {
    /// A proof with its auxiliary data, which has a layer at least.
    pub(super) fn new(proof: Proof, auxiliary: Auxiliary) -> Option<Self> {
        let CairoProofForRustVerifier {
            claim,
            interaction_pow,
            interaction_claim,
            stark_proof,
            channel_salt,
            preprocessed_trace_variant,
        } = proof;
        let Auxiliary { drawn_queries, trees, layers } = auxiliary;
        let mut layers = layers.into_iter().map(LayerAux::from);
        let fri = FriAux { first_layer: layers.next()?, inner_layers: layers.collect() };
        let trace_decommitment = trees.into_iter().map(DecommitmentAux::from).collect();
        let aux = Aux { unsorted_query_locations: drawn_queries, trace_decommitment, fri };
        Some(Self {
            claim,
            interaction_pow,
            interaction_claim,
            extended_stark_proof: ExtendedStarkProof { proof: stark_proof, aux },
            channel_salt,
            preprocessed_trace_variant,
        })
    }

    /// The proof, and the auxiliary data as far as it has the form of some; nothing of both is checked.
    pub(super) fn split(self) -> (Proof, Option<Auxiliary>) {
        let ExtendedStarkProof { proof: stark_proof, aux } = self.extended_stark_proof;
        let proof = CairoProofForRustVerifier {
            claim: self.claim,
            interaction_pow: self.interaction_pow,
            interaction_claim: self.interaction_claim,
            stark_proof,
            channel_salt: self.channel_salt,
            preprocessed_trace_variant: self.preprocessed_trace_variant,
        };
        let FriAux { first_layer, inner_layers } = aux.fri;
        let layers = std::iter::once(first_layer).chain(inner_layers).map(LayerAux::into_layer);
        let auxiliary = layers.collect::<Option<_>>().map(|layers| Auxiliary {
            drawn_queries: aux.unsorted_query_locations,
            trees: aux.trace_decommitment.into_iter().map(DecommitmentAux::into_nodes).collect(),
            layers,
        });
        (proof, auxiliary)
    }
}

impl From<Nodes> for DecommitmentAux {
    fn from(nodes: Nodes) -> Self {
        let level = |level: BTreeMap<_, _>| level.into_iter().map(|(at, digest)| (at, Blake2sHash(digest))).collect();
        Self { all_node_values: nodes.into_iter().map(level).collect() }
    }
}

impl DecommitmentAux {
    fn into_nodes(self) -> Nodes {
        let level = |level: BTreeMap<_, Blake2sHash>| level.into_iter().map(|(at, digest)| (at, digest.0)).collect();
        self.all_node_values.into_iter().map(level).collect()
    }
}

impl From<AuxiliaryLayer> for LayerAux {
    fn from(AuxiliaryLayer { values, nodes }: AuxiliaryLayer) -> Self {
        let values = values.into_iter().map(|(at, value)| (at, secure(value))).collect();
        Self { all_values: vec![values], decommitment: nodes.into() }
    }
}

impl LayerAux {
    fn into_layer(self) -> Option<AuxiliaryLayer> {
        let [values] = <[_; 1]>::try_from(self.all_values).ok()?;
        let is_reduced = |value: &SecureField| value.to_m31_array().iter().all(|coordinate| coordinate.0 < P);
        let values = values.into_iter().map(|(at, value)| is_reduced(&value).then(|| (at, qm31(value))));
        Some(AuxiliaryLayer { values: values.collect::<Option<_>>()?, nodes: self.decommitment.into_nodes() })
    }
}
