//! Lies: what a prover would have to change is refused, each at its place; so is every change of a byte.

use adversary::gkr::{Tree, draw};
use circle_proof::Suite;
use field::{Field, M31, QM31};
use proptest::prelude::*;
use sumcheck::gkr::{
    Artifact, BatchError, BatchProof, Gate, Instance, Kind, Layer, Mask, ShapeError, decode, encode, prove_batch,
    verify_batch,
};
use sumcheck::multilinear::evaluate;
use sumcheck::{Univariate, VerifyError};

use crate::gkr::shapes;

type Verdict = Result<Artifact<QM31>, BatchError>;

fn verify(instances: &[Instance], proof: &BatchProof<QM31>) -> Verdict {
    verify_batch(instances, proof, &mut Suite::Blake2s.channel())
}

fn prove(batch: Vec<Tree>) -> BatchProof<QM31> {
    prove_batch(batch, &mut Suite::Blake2s.channel()).unwrap().0
}

fn values(count: u32) -> Vec<QM31> {
    (0..count).map(|at| QM31([at * at + 3, at + 1, 5, 7 * at].map(|word| M31::reduce(word.into())))).collect()
}

/// Three trees of 4, 3 and 4 variables.
fn batch() -> Vec<Tree> {
    vec![
        Layer::LogUp { numerators: values(16), denominators: values(32).split_off(16) },
        Layer::GrandProduct(values(8)),
        Layer::LogUpSingles { denominators: values(16) },
    ]
}

/// A dial for each message: it is changed, and all that follows stays. Each lie is told at its place.
#[test]
fn a_change_of_any_message_is_refused_where_it_is_told() {
    let (instances, proof) = (shapes(&batch()), prove(batch()));
    assert!(verify(&instances, &proof).is_ok());
    for layer in 1..4 {
        for round in 0..layer {
            for coefficient in 0..4 {
                let mut forged = proof.clone();
                let mut coefficients = forged.sumchecks[layer][round].to_vec();
                coefficients[coefficient] += QM31::ONE;
                forged.sumchecks[layer][round] = Univariate::new(coefficients);
                let source = VerifyError::Sum { round };
                assert_eq!(verify(&instances, &forged), Err(BatchError::Sumcheck { layer, source }));
                // The sum is right: the next message does not follow from it.
                let mut coefficients = proof.sumchecks[layer][round].to_vec();
                coefficients[1] += QM31::ONE;
                coefficients[2] -= QM31::ONE;
                forged.sumchecks[layer][round] = Univariate::new(coefficients);
                let expected = if round + 1 < layer {
                    BatchError::Sumcheck { layer, source: VerifyError::Sum { round: round + 1 } }
                } else {
                    BatchError::Gate { layer }
                };
                assert_eq!(verify(&instances, &forged), Err(expected));
            }
        }
    }
    for (instance, of) in instances.iter().enumerate() {
        for step in 0..of.variables {
            for (column, side) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let mut forged = proof.clone();
                let Some(pair) = forged.masks[instance][step].0.get_mut(column) else { continue };
                pair[side] += QM31::ONE;
                let layer = 4 - of.variables + step;
                assert_eq!(verify(&instances, &forged), Err(BatchError::Gate { layer }), "{instance} {step}");
            }
        }
        for column in 0..proof.outputs[instance].len() {
            let mut forged = proof.clone();
            forged.outputs[instance][column] += QM31::ONE;
            let expected = match 4 - of.variables {
                // There is no round yet.
                0 => BatchError::Gate { layer: 0 },
                layer => BatchError::Sumcheck { layer, source: VerifyError::Sum { round: 0 } },
            };
            assert_eq!(verify(&instances, &forged), Err(expected), "{instance}");
        }
    }
}

/// A liar who proves other columns, consistently, is taken at his word: it is the claims that are false then.
#[test]
fn a_lie_about_a_column_is_a_false_claim() {
    for at in 0..8 {
        let mut lie = values(8);
        lie[at] += QM31::ONE;
        let batch: Vec<Tree> = vec![Layer::GrandProduct(lie)];
        let instances = shapes(&batch);
        let artifact = verify(&instances, &prove(batch)).unwrap();
        assert_ne!(artifact.claims[0][0], evaluate(&values(8), artifact.point_of(0)));
    }
}

#[test]
fn numerators_of_singles_are_one() {
    let mut numerators = vec![QM31::ONE; 8];
    let fractions = |numerators: &[QM31]| -> Vec<Tree> {
        vec![Layer::LogUp { numerators: numerators.to_vec(), denominators: values(8) }]
    };
    let singles = [Instance { kind: Kind::LogUpSingles, variables: 3 }];
    assert!(verify(&singles, &prove(fractions(&numerators))).is_ok());
    numerators[5] = QM31::default();
    let proof = prove(fractions(&numerators));
    assert_eq!(verify(&singles, &proof), Err(BatchError::Numerators { instance: 0 }));
    assert!(verify(&shapes(&fractions(&numerators)), &proof).is_ok());
}

#[test]
fn every_other_shape_is_refused() {
    let (instances, proof) = (shapes(&batch()), prove(batch()));
    let refused = |change: &dyn Fn(&mut BatchProof<QM31>), expected: ShapeError| {
        let mut forged = proof.clone();
        change(&mut forged);
        assert_eq!(verify(&instances, &forged), Err(BatchError::Shape(expected)));
    };
    let instance_error = |masks, outputs| ShapeError::Instances { expected: 3, masks, outputs };
    refused(&|p| drop(p.sumchecks.pop()), ShapeError::Layers { expected: 4, found: 3 });
    refused(&|p| p.sumchecks.push(vec![]), ShapeError::Layers { expected: 4, found: 5 });
    refused(&|p| drop(p.masks.pop()), instance_error(2, 3));
    refused(&|p| p.outputs.push(vec![]), instance_error(3, 4));
    refused(&|p| drop(p.masks[1].pop()), ShapeError::Masks { instance: 1, expected: 3, found: 2 });
    let columns = |instance, expected, found| ShapeError::Columns { instance, expected, found };
    refused(&|p| p.masks[1][0].0.push([QM31::ONE; 2]), columns(1, 1, 2));
    refused(&|p| p.masks[0][3] = Mask(vec![]), columns(0, 2, 0));
    refused(&|p| p.outputs[2].truncate(1), columns(2, 2, 1));
    for layer in 0..4 {
        let mut forged = proof.clone();
        forged.sumchecks[layer].push(Univariate::new(vec![]));
        let source = VerifyError::Rounds { expected: layer, found: layer + 1 };
        assert_eq!(verify(&instances, &forged), Err(BatchError::Sumcheck { layer, source }));
    }
    let mut forged = proof.clone();
    forged.sumchecks[2][1] = Univariate::new([&proof.sumchecks[2][1][..], &[QM31::default()]].concat());
    let source = VerifyError::Degree { round: 1, found: 5 };
    assert_eq!(verify(&instances, &forged), Err(BatchError::Sumcheck { layer: 2, source }));
    // Other trees: one more, in another order, of another gate.
    let swapped = [instances[1], instances[0], instances[2]];
    assert!(matches!(verify(&swapped, &proof), Err(BatchError::Shape(_))));
    assert!(matches!(verify(&instances[..2], &proof), Err(BatchError::Shape(_))));
    let same_gate = [Instance { kind: Kind::LogUpMultiplicities, ..instances[0] }, instances[1], instances[2]];
    assert_eq!(same_gate[0].kind.gate(), Gate::LogUp);
    assert!(verify(&same_gate, &proof).is_ok());
}

#[test]
fn no_other_bytes_are_taken() {
    let (instances, proof) = (shapes(&batch()), prove(batch()));
    let bytes = encode(&proof);
    for end in 0..bytes.len() {
        assert!(decode::<QM31>(&bytes[..end], &instances).is_err(), "{end} bytes");
    }
    assert!(decode::<QM31>(&[&bytes[..], &[0]].concat(), &instances).is_err());
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let taken = decode(&changed, &instances).is_ok_and(|proof| verify(&instances, &proof).is_ok());
            assert!(!taken, "bit {bit} of byte {at}");
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(0u8..6, 0..600), seed in 0u64..500) {
        let instances = shapes(&draw(seed));
        if let Ok(proof) = decode::<QM31>(&bytes, &instances) {
            prop_assert_eq!(encode(&proof), bytes);
            let _ = verify(&instances, &proof);
        }
    }
}
