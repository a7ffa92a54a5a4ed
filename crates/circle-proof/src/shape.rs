//! Whether every list of a proof has the length that the statement and the queries give it.
//!
//! stwo's verifier counts on lengths: it zips lists that must be equally long, takes elements without looking, and
//! asserts. After these checks all of that holds, so it cannot panic on a proof.

use crate::layout::Layout;
use crate::positions::{layer_opening, preprocessed_positions, sibling_count, witness_count};
use crate::{Proof, ShapeError, VerifyError};

/// Everything that does not depend on the queries.
pub(crate) fn check_fixed(layout: &Layout, proof: &Proof) -> Result<(), ShapeError> {
    let trees = layout.trees.len();
    same(proof.commitments.len(), trees, || "roots".into())?;
    same(proof.sampled_values.len(), trees, || "trees of sampled values".into())?;
    same(proof.decommitments.len(), trees, || "decommitments".into())?;
    same(proof.queried_values.len(), trees, || "trees of queried values".into())?;
    for (tree, shape) in layout.trees.iter().enumerate() {
        let (sampled, queried) = (&proof.sampled_values[tree], &proof.queried_values[tree]);
        same(sampled.len(), shape.columns.len(), || format!("sampled columns of tree {tree}"))?;
        same(queried.len(), shape.columns.len(), || format!("queried columns of tree {tree}"))?;
        for (index, (values, column)) in sampled.iter().zip(&shape.columns).enumerate() {
            same(values.len(), column.offsets.len(), || format!("sampled values of column {index} of tree {tree}"))?;
        }
    }
    let (fri, options) = (&proof.fri_proof, &layout.options);
    let inner = options.fold_steps(layout.log_domain).len() - 1;
    same(fri.inner_layers.len(), inner, || "inner FRI layers".into())?;
    same(fri.last_layer.len(), 1 << options.log_last, || "coefficients of the last FRI layer".into())
}

/// Checks the parts that depend on the queries, whose positions are ascending, each once. The proof has passed
/// [`check_fixed`].
pub(crate) fn check_opened(layout: &Layout, proof: &Proof, positions: &[usize]) -> Result<(), VerifyError> {
    for (tree, shape) in layout.trees.iter().enumerate() {
        let queried = &proof.queried_values[tree];
        for (column, values) in queried.iter().enumerate() {
            same(values.len(), positions.len(), || format!("queried values of column {column} of tree {tree}"))?;
        }
        let leaves = if tree == 0 {
            let leaves = preprocessed_positions(positions, layout.log_domain, shape.height)?;
            check_repeated(&leaves, queried)?;
            leaves
        } else {
            positions.to_vec()
        };
        let witness = &proof.decommitments[tree];
        same(witness.len(), sibling_count(&leaves, shape.height), || format!("sibling nodes of tree {tree}"))?;
    }
    let fri = &proof.fri_proof;
    let (mut positions, mut log_size) = (positions.to_vec(), layout.log_domain);
    for (index, (layer, step)) in fri.layers().zip(layout.options.fold_steps(layout.log_domain)).enumerate() {
        // The step is the prover's. An opening takes memory by `2^step`; after this check that is the size of the
        // proof.
        same(layer.fri_witness.len(), witness_count(&positions, step), || format!("values of FRI layer {index}"))?;
        let opening = layer_opening(&positions, log_size, step);
        let siblings = sibling_count(&opening.leaves, opening.height);
        same(layer.decommitment.len(), siblings, || format!("sibling nodes of FRI layer {index}"))?;
        positions = opening.next;
        log_size -= step;
    }
    Ok(())
}

/// Queries that meet in one position of the preprocessed tree have one value there: only the first goes into the leaf.
fn check_repeated<T: PartialEq>(leaves: &[usize], queried: &[Vec<T>]) -> Result<(), VerifyError> {
    for query in (1..leaves.len()).filter(|&query| leaves[query - 1] == leaves[query]) {
        if let Some(column) = queried.iter().position(|values| values[query - 1] != values[query]) {
            return Err(VerifyError::Repeated { query, column });
        }
    }
    Ok(())
}

fn same(found: usize, expected: usize, what: impl FnOnce() -> String) -> Result<(), ShapeError> {
    if found == expected { Ok(()) } else { Err(ShapeError { what: what(), found, expected }) }
}
