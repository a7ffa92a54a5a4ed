//! Where two proofs first differ, in the order of the transcript, so that the named one is the cause and not a
//! consequence.

use std::fmt::Debug;

use circle_proof::FriLayer;
use prover_core::circle::CircleProof;

use crate::reference::Reference;

/// The first difference of our proof from the reference's; `None` if they are equal.
pub fn first_difference(ours: &CircleProof, theirs: &Reference) -> Option<String> {
    let (a, b) = (&ours.proof, &theirs.proof);
    let (fri_a, fri_b) = (&a.fri_proof, &b.fri_proof);
    let trees = a.commitments.len();
    let root = |tree: usize| differ(&format!("root of tree {tree}"), &a.commitments[tree], &b.commitments[tree]);
    differ("configuration", &a.config, &b.config)
        .or_else(|| differ("number of trees", &trees, &b.commitments.len()))
        .or_else(|| (0..trees.min(2)).find_map(root))
        .or_else(|| sequence("claimed sum", &ours.claimed_sums, &theirs.claimed_sums))
        .or_else(|| (2..trees).find_map(root))
        .or_else(|| nested("sampled values", &a.sampled_values, &b.sampled_values))
        .or_else(|| differ("root of FRI layer 0", &fri_a.first_layer.commitment, &fri_b.first_layer.commitment))
        .or_else(|| {
            let roots = |layers: &[FriLayer]| -> Vec<_> { layers.iter().map(|layer| layer.commitment).collect() };
            sequence("root of inner FRI layer", &roots(&fri_a.inner_layers), &roots(&fri_b.inner_layers))
        })
        .or_else(|| sequence("coefficient of the last FRI layer", &fri_a.last_layer, &fri_b.last_layer))
        .or_else(|| differ("nonce", &a.proof_of_work, &b.proof_of_work))
        .or_else(|| nested("queried values", &a.queried_values, &b.queried_values))
        .or_else(|| {
            let siblings = |index: usize| {
                let (a, b) = (&a.decommitments[index], &b.decommitments[index]);
                sequence(&format!("sibling in tree {index}"), a, b)
            };
            (0..trees).find_map(siblings)
        })
        .or_else(|| {
            let layers = |index: usize| {
                let (a, b) = match index {
                    0 => (&fri_a.first_layer, &fri_b.first_layer),
                    _ => (&fri_a.inner_layers[index - 1], &fri_b.inner_layers[index - 1]),
                };
                sequence(&format!("value of FRI layer {index}"), &a.fri_witness, &b.fri_witness).or_else(|| {
                    let (a, b) = (&a.decommitment, &b.decommitment);
                    sequence(&format!("sibling in FRI layer {index}"), a, b)
                })
            };
            (0..=fri_a.inner_layers.len()).find_map(layers)
        })
        .or_else(|| {
            let (ours, theirs) = (circle_proof::encode(&ours.proof), theirs.bytes.clone());
            let place = ours.iter().zip(&theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
            (ours != theirs).then(|| format!("the encoding alone, at byte {place} of {}", theirs.len()))
        })
}

fn differ<T: PartialEq + Debug>(what: &str, ours: &T, theirs: &T) -> Option<String> {
    (ours != theirs).then(|| format!("{what}: ours {ours:?}, the reference's {theirs:?}"))
}

fn sequence<T: PartialEq + Debug>(what: &str, ours: &[T], theirs: &[T]) -> Option<String> {
    let first = ours.iter().zip(theirs).position(|(a, b)| a != b);
    first
        .and_then(|index| differ(&format!("{what} {index}"), &ours[index], &theirs[index]))
        .or_else(|| differ(&format!("number of: {what}"), &ours.len(), &theirs.len()))
}

/// Lists by tree and column.
fn nested<T: PartialEq + Debug>(what: &str, ours: &[Vec<T>], theirs: &[Vec<T>]) -> Option<String> {
    ours.iter()
        .zip(theirs)
        .enumerate()
        .find_map(|(tree, (a, b))| sequence(&format!("{what} of tree {tree}, column"), a, b))
        .or_else(|| differ(&format!("{what}, number of trees"), &ours.len(), &theirs.len()))
}

#[cfg(test)]
mod tests {
    use circle_proof::{CircleOptions, Proof};
    use field::{M31, QM31};

    use super::*;
    use crate::reference;

    type Edit = fn(&mut Proof);

    /// Every part of a proof, once edited, is found under its name.
    #[test]
    fn a_difference_is_named() {
        let params = [("v0".to_owned(), "3".to_owned()), ("v1".to_owned(), "5".to_owned())];
        let air = circle_air::airs::build("plonk", 6, &params).expect("a statement");
        let options = CircleOptions {
            pow_bits: 2,
            log_blowup: 1,
            queries: 5,
            fold_step: 2,
            log_last: 1,
            lifting: Some(7),
            ..CircleOptions::default()
        };
        let theirs = reference::prove(air.as_ref(), &options).expect("a proof");
        assert_eq!(reference::verify(air.as_ref(), &options, &theirs), Ok(()));
        let ours = CircleProof {
            proof: theirs.proof.clone(),
            claimed_sums: theirs.claimed_sums.clone(),
            interaction_nonce: None,
        };
        assert_eq!(first_difference(&ours, &theirs), None);
        let edits: [(&str, Edit); 13] = [
            ("configuration", |p| p.config.pow_bits += 1),
            ("root of tree 1", |p| p.commitments[1][31] ^= 1),
            ("root of tree 3", |p| p.commitments[3][0] ^= 1),
            ("sampled values of tree 2, column 11", |p| p.sampled_values[2][11][1] += QM31::from(M31::new(1))),
            ("root of FRI layer 0", |p| p.fri_proof.first_layer.commitment[5] ^= 1),
            ("root of inner FRI layer 1", |p| p.fri_proof.inner_layers[1].commitment[5] ^= 1),
            ("coefficient of the last FRI layer 0", |p| {
                p.fri_proof.last_layer = vec![QM31::default(); 2];
            }),
            ("nonce", |p| p.proof_of_work += 1),
            ("queried values of tree 1, column 3", |p| p.queried_values[1][3][0] += M31::new(1)),
            ("number of: sibling in tree 0", |p| p.decommitments[0].truncate(1)),
            ("value of FRI layer 0 0", |p| p.fri_proof.first_layer.fri_witness[0] += QM31::from(M31::new(1))),
            ("number of: sibling in FRI layer 1", |p| p.fri_proof.inner_layers[0].decommitment.truncate(1)),
            ("number of: root of inner FRI layer", |p| p.fri_proof.inner_layers.truncate(1)),
        ];
        for (name, edit) in edits {
            let mut edited = ours.clone();
            edit(&mut edited.proof);
            let found = first_difference(&edited, &theirs).unwrap_or_default();
            assert!(found.starts_with(name), "{name}: {found}");
        }
        let mut edited = ours;
        edited.claimed_sums[0] += QM31::from(M31::new(1));
        assert!(first_difference(&edited, &theirs).is_some_and(|found| found.starts_with("claimed sum 0")));
    }
}
