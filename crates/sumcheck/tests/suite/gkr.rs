//! Batches: equal to stwo's, and taken by the verifier with claims that are true.

use adversary::gkr::{Tree, draw};
use circle_proof::Suite;
use field::{CanonicalBytes, Field, M31, QM31};
use sha2::{Digest, Sha256};
use sumcheck::gkr::{
    BatchProof, Instance, Kind, Layer, LayerError, ShapeError, decode, encode, prove_batch, security_bits, verify_batch,
};
use sumcheck::multilinear::evaluate;

pub(crate) fn shapes(batch: &[Tree]) -> Vec<Instance> {
    batch.iter().map(|tree| tree.instance(0).unwrap()).collect()
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn bytes<'a>(elements: impl IntoIterator<Item = &'a QM31>) -> Vec<u8> {
    let mut out = Vec::new();
    elements.into_iter().for_each(|element| element.write_bytes(&mut out));
    out
}

#[test]
fn batches_are_stwos_and_their_claims_are_true() {
    for golden in golden::gkr::batches() {
        let (batch, name) = (draw(golden.seed), format!("seed {}", golden.seed));
        let instances = shapes(&batch);
        let trees: Vec<String> = instances.iter().map(|of| format!("{}:{}", of.kind, of.variables)).collect();
        assert_eq!(trees.join(","), golden.trees, "{name}");

        let mut channel = golden.suite.channel();
        let (proof, artifact) = prove_batch(batch.clone(), &mut channel).unwrap();
        let encoded = encode(&proof);
        assert_eq!((encoded.len(), sha256(&encoded)), (golden.length, golden.sha256), "{name}");
        let claims = bytes(artifact.point.iter().chain(artifact.claims.iter().flatten()));
        assert_eq!(sha256(&claims), golden.claims_sha256, "{name}");
        assert_eq!(hex::encode(bytes(&[channel.draw_felt()])), golden.next_draw, "{name}");

        let decoded = decode(&encoded, &instances).unwrap();
        assert_eq!(decoded, proof, "{name}");
        let mut channel = golden.suite.channel();
        let verified = verify_batch(&instances, &decoded, &mut channel).unwrap();
        assert_eq!(verified, artifact, "{name}");
        assert_eq!(hex::encode(bytes(&[channel.draw_felt()])), golden.next_draw, "{name}");
        for (index, tree) in batch.iter().enumerate() {
            let values: Vec<QM31> =
                tree.clone().into_columns().iter().map(|column| evaluate(column, verified.point_of(index))).collect();
            assert_eq!(verified.claims[index], values, "{name}, tree {index}");
        }
    }
}

#[test]
fn outputs_are_products_and_sums() {
    let [a, b, c, d] = [2, 3, 5, 7].map(|value| QM31::from(M31::reduce(value)));
    let batch: Vec<Tree> = vec![
        Layer::GrandProduct(vec![a, b, c, d]),
        Layer::LogUp { numerators: vec![a, b], denominators: vec![c, d] },
        Layer::LogUpSingles { denominators: vec![a, b] },
    ];
    let (proof, _) = prove_batch(batch, &mut Suite::Blake2s.channel()).unwrap();
    assert_eq!(proof.outputs, [vec![a * b * c * d], vec![a * d + b * c, c * d], vec![a + b, a * b]]);
}

/// stwo's prover has no answer for multiplicities of one variable.
#[test]
fn multiplicities_are_proven_as_fractions_of_the_extension() {
    for rows in [2, 8] {
        let numerators: Vec<M31> = (1..=rows).map(M31::reduce).collect();
        let denominators: Vec<QM31> = (0..rows).map(|row| QM31([row + 9; 4].map(M31::reduce))).collect();
        let wide = numerators.iter().copied().map(QM31::from).collect();
        let base: Tree = Layer::LogUpMultiplicities { numerators, denominators: denominators.clone() };
        let extension: Tree = Layer::LogUp { numerators: wide, denominators };
        let [first, second] =
            [base, extension].map(|tree| prove_batch(vec![tree], &mut Suite::Blake2s.channel()).unwrap());
        assert_eq!(first, second);
    }
}

#[test]
fn columns_that_are_no_layer_are_refused() {
    let prove = |batch: Vec<Tree>| prove_batch(batch, &mut Suite::Blake2s.channel()).unwrap_err();
    assert_eq!(prove(vec![]), LayerError::Empty);
    for length in [0, 1, 3, 6] {
        let error = prove(vec![Layer::GrandProduct(vec![QM31::ONE; length])]);
        assert_eq!(error, LayerError::Length { instance: 0, length });
    }
    let (numerators, denominators) = (vec![QM31::ONE; 4], vec![QM31::ONE; 2]);
    let error = prove(vec![draw(1).remove(0), Layer::LogUp { numerators, denominators }]);
    assert_eq!(error, LayerError::Fractions { instance: 1, numerators: 4, denominators: 2 });
}

#[test]
fn shapes_that_nobody_proves_are_refused() {
    let empty = BatchProof::<QM31> { sumchecks: vec![], masks: vec![], outputs: vec![] };
    let verify = |instances: &[Instance]| verify_batch(instances, &empty, &mut Suite::Blake2s.channel()).unwrap_err();
    assert_eq!(verify(&[]), ShapeError::Empty.into());
    for variables in [0, 31, usize::MAX] {
        let instances = [Instance { kind: Kind::LogUp, variables }];
        assert_eq!(verify(&instances), ShapeError::Variables { instance: 0, variables }.into());
        assert!(decode::<QM31>(&[0; 64], &instances).is_err());
    }
}

#[test]
fn security_is_that_of_the_worst_draw() {
    let log_field = 4.0 * f64::from(i32::MAX).log2();
    let bits = |trees: usize, variables| {
        security_bits(&vec![Instance { kind: Kind::LogUp, variables }; trees], log_field).unwrap()
    };
    assert_eq!([bits(1, 1), bits(1, 2), bits(4, 20), bits(5, 20), bits(1025, 5)], [123, 122, 122, 121, 113]);
}
