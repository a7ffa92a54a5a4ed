//! A proof as the felts that the verifier in Cairo takes.

use cairo_air::{CairoProof, CairoProofForRustVerifier};
use stwo::core::fri::{FriLayerProofAux, FriProofAux};
use stwo::core::pcs::TreeVec;
use stwo::core::pcs::quotients::CommitmentSchemeProofAux;
use stwo::core::proof::ExtendedStarkProof;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;
use stwo::core::vcs_lifted::verifier::MerkleDecommitmentLiftedAux;
use stwo_cairo_serialize::CairoSerialize;

use super::Proof;

/// The felts in hexadecimal.
pub(super) fn felts(proof: &Proof) -> Result<Vec<String>, &'static str> {
    check_queried(proof)?;
    let mut felts = Vec::new();
    CairoSerialize::serialize(&extended(proof.clone()), &mut felts);
    Ok(felts.into_iter().map(|felt| format!("{felt:#x}")).collect())
}

/// Whether there is a queried value of each column for each query: the reference counts on it when it puts them in
/// another order.
fn check_queried(proof: &Proof) -> Result<(), &'static str> {
    let queried = &proof.stark_proof.queried_values;
    let [preprocessed, main, interaction, _] = &queried[..] else { return Err("there are not four trees") };
    let sizes = proof.claim.log_sizes();
    if preprocessed.is_empty() || [main.len(), interaction.len()] != [sizes[0].len(), sizes[1].len()] {
        return Err("a tree has another number of columns");
    }
    let queries = preprocessed[0].len();
    if queried.iter().flatten().any(|column| column.len() != queries) {
        return Err("columns have different numbers of values");
    }
    Ok(())
}

/// The reference's other form of a proof, whose further parts its serialization for Cairo does not read: they are
/// empty.
fn extended(proof: Proof) -> CairoProof<Blake2sMerkleHasher> {
    let CairoProofForRustVerifier {
        claim,
        interaction_pow,
        interaction_claim,
        stark_proof,
        channel_salt,
        preprocessed_trace_variant,
    } = proof;
    let nodes = MerkleDecommitmentLiftedAux { all_node_values: Vec::new() };
    let first_layer = FriLayerProofAux { all_values: Vec::new(), decommitment: nodes };
    let aux = CommitmentSchemeProofAux {
        unsorted_query_locations: Vec::new(),
        trace_decommitment: TreeVec(Vec::new()),
        fri: FriProofAux { first_layer, inner_layers: Vec::new() },
    };
    let extended_stark_proof = ExtendedStarkProof { proof: stark_proof, aux };
    CairoProof {
        claim,
        interaction_pow,
        interaction_claim,
        extended_stark_proof,
        channel_salt,
        preprocessed_trace_variant,
    }
}

#[cfg(test)]
mod tests {
    use stwo::core::fields::m31::BaseField;

    use super::*;
    use crate::verify::tests::fib_10;

    /// Its columns, each with a value for each query.
    type Tree = Vec<Vec<BaseField>>;

    #[test]
    fn each_query_has_a_value_of_each_column() {
        let mut proof = fib_10();
        let sizes = proof.claim.log_sizes();
        let columns = |count: usize| vec![vec![BaseField::from(1); 3]; count];
        let whole = vec![columns(2), columns(sizes[0].len()), columns(sizes[1].len()), columns(8)];
        let mut check = |change: &dyn Fn(&mut Vec<Tree>)| {
            let mut queried = whole.clone();
            change(&mut queried);
            proof.stark_proof.0.queried_values = TreeVec(queried);
            check_queried(&proof).is_ok()
        };
        assert!(check(&|_| {}));
        assert!(!check(&|trees| trees.truncate(3)));
        assert!(!check(&|trees| trees[0].clear()));
        for tree in 0..4 {
            assert!(!check(&|trees| trees[tree][1].truncate(2)), "a value of tree {tree}");
        }
        for tree in [1, 2] {
            assert!(!check(&|trees| trees[tree].truncate(1)), "columns of tree {tree}");
        }
    }
}
