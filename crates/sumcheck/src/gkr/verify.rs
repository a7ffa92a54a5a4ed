//! The verifier of batches (section 6).

use alloc::vec::Vec;

use field::Field;

use super::error::{BatchError, ShapeError};
use super::gate::Kind;
use super::proof::{Artifact, BatchProof, Instance, Mask};
use crate::multilinear::eq;
use crate::protocol::times_two_to;
use crate::univariate::horner;
use crate::{Channel, MAX_VARIABLES, verify};

/// Checks a proof of trees of these shapes. The caller checks the claims that it returns, and compares the outputs. The
/// work is linear in the proof.
///
/// # Errors
/// [`BatchError`].
pub fn verify_batch<E: Field>(
    instances: &[Instance],
    proof: &BatchProof<E>,
    channel: &mut dyn Channel<E>,
) -> Result<Artifact<E>, BatchError> {
    let layers = check_shape(instances, proof)?;
    let mut claims = alloc::vec![Vec::new(); instances.len()];
    let mut point = Vec::new();
    for layer in 0..layers {
        let unused = |index: usize| layers - instances[index].variables;
        let active: Vec<usize> = (0..instances.len()).filter(|index| unused(*index) <= layer).collect();
        for index in active.iter().copied() {
            if unused(index) == layer {
                claims[index].clone_from(&proof.outputs[index]);
            }
            channel.mix(&claims[index]);
        }
        let (alpha, lambda) = (channel.draw(), channel.draw());
        let sums: Vec<E> =
            active.iter().map(|index| times_two_to(horner(&claims[*index], lambda), unused(*index))).collect();
        let (mut next, value) = verify(horner(&sums, alpha), layer, &proof.sumchecks[layer], channel)
            .map_err(|source| BatchError::Sumcheck { layer, source })?;
        let masks: Vec<&Mask<E>> = active.iter().map(|index| &proof.masks[*index][layer - unused(*index)]).collect();
        let ends: Vec<E> = active
            .iter()
            .zip(&masks)
            .map(|(index, mask)| {
                let (gate, first) = (instances[*index].kind.gate(), unused(*index));
                eq(&point[first..], &next[first..]) * gate.combined(&mask.child(false), &mask.child(true), lambda)
            })
            .collect();
        if horner(&ends, alpha) != value {
            return Err(BatchError::Gate { layer });
        }
        for mask in &masks {
            channel.mix(mask.0.as_flattened());
        }
        let challenge = channel.draw();
        next.push(challenge);
        for (index, mask) in active.iter().zip(masks) {
            claims[*index] = mask.at(challenge);
        }
        point = next;
    }
    for (instance, (of, claims)) in instances.iter().zip(&claims).enumerate() {
        if of.kind == Kind::LogUpSingles && claims[0] != E::ONE {
            return Err(BatchError::Numerators { instance });
        }
    }
    Ok(Artifact { point, claims, variables: instances.iter().map(|instance| instance.variables).collect() })
}

/// The layers of the largest tree.
pub(super) fn layers(instances: &[Instance]) -> Result<usize, ShapeError> {
    for (instance, Instance { variables, .. }) in instances.iter().enumerate() {
        if !(1..=MAX_VARIABLES).contains(variables) {
            return Err(ShapeError::Variables { instance, variables: *variables });
        }
    }
    instances.iter().map(|instance| instance.variables).max().ok_or(ShapeError::Empty)
}

/// The layers of the largest tree of a proof that has all its parts; the sum-checks look at their own.
fn check_shape<E: Field>(instances: &[Instance], proof: &BatchProof<E>) -> Result<usize, ShapeError> {
    let layers = layers(instances)?;
    let BatchProof { sumchecks, masks, outputs } = proof;
    if sumchecks.len() != layers {
        return Err(ShapeError::Layers { expected: layers, found: sumchecks.len() });
    }
    let expected = instances.len();
    if [masks.len(), outputs.len()] != [expected; 2] {
        return Err(ShapeError::Instances { expected, masks: masks.len(), outputs: outputs.len() });
    }
    for (instance, (of, (masks, output))) in instances.iter().zip(masks.iter().zip(outputs)).enumerate() {
        if masks.len() != of.variables {
            return Err(ShapeError::Masks { instance, expected: of.variables, found: masks.len() });
        }
        let expected = of.kind.gate().columns();
        let lengths = masks.iter().map(|mask| mask.0.len()).chain([output.len()]);
        if let Some(found) = lengths.into_iter().find(|length| *length != expected) {
            return Err(ShapeError::Columns { instance, expected, found });
        }
    }
    Ok(layers)
}
