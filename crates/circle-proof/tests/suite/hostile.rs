//! No changed proof is accepted, and none makes the verifier panic.

use circle_proof::{Policy, Proof, VerifyError, decode, encode, verify};
use golden::circle::{Vector, vector, vectors};
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::FriLayerProof;
use stwo::core::poly::line::LinePoly;
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;

/// Verifies bytes that differ from the vector's.
fn refuse(vector: &Vector, statement: &dyn circle_air::Statement, bytes: &[u8], what: impl Fn() -> String) {
    assert!(bytes != vector.proof, "{}, {}: nothing was changed", vector.name, what());
    let result = verify(statement, &vector.claimed_sums(), bytes, &Policy::ANY);
    assert!(result.is_err(), "{}, {}", vector.name, what());
}

#[test]
fn every_byte_counts() {
    for (number, vector) in vectors().iter().enumerate() {
        let statement = vector.statement();
        // All bytes of small proofs; of the others a sample that differs from vector to vector.
        let step = vector.proof.len().div_ceil(6000);
        for index in (number % step..vector.proof.len()).step_by(step) {
            let mut bytes = vector.proof.clone();
            bytes[index] ^= 1 << (index % 8);
            refuse(vector, &*statement, &bytes, || format!("byte {index}"));
        }
    }
}

/// A proof that is longer than any of its statement is not even decoded: lists take more memory than bytes.
#[test]
fn proofs_that_are_too_long_are_refused_undecoded() {
    for vector in vectors() {
        let statement = vector.statement();
        let mut longer = vector.proof.clone();
        longer.resize(10 * vector.proof.len() + 100_000, 0);
        let error = verify(&*statement, &vector.claimed_sums(), &longer, &Policy::ANY).unwrap_err();
        assert!(matches!(error, VerifyError::TooLong { .. }), "{}: {error}", vector.name);
    }
}

#[test]
fn truncations_are_refused() {
    for vector in vectors() {
        let statement = vector.statement();
        for length in (0..vector.proof.len()).step_by(61) {
            refuse(&vector, &*statement, &vector.proof[..length], || format!("length {length}"));
        }
    }
}

/// Drops, repeats and appends items of a list, and swaps the first and last if that changes anything.
fn lists<T: Clone>(
    proof: &Proof,
    list: impl Fn(&mut Proof) -> Option<&mut Vec<T>>,
    append: Option<T>,
    check: &mut impl FnMut(&Proof),
) {
    let mut edit = |change: &dyn Fn(&mut Vec<T>) -> bool| {
        let mut changed = proof.clone();
        if list(&mut changed).is_some_and(change) {
            check(&changed);
        }
    };
    edit(&|items| items.pop().is_some());
    edit(&|items| {
        !items.is_empty() && {
            items.remove(0);
            true
        }
    });
    edit(&|items| {
        !items.is_empty() && {
            items.clear();
            true
        }
    });
    edit(&|items| {
        items.last().cloned().is_some_and(|last| {
            items.push(last);
            true
        })
    });
    edit(&|items| {
        items.first().cloned().is_some_and(|first| {
            items.insert(0, first);
            true
        })
    });
    edit(&|items| {
        append.clone().is_some_and(|item| {
            items.push(item);
            true
        })
    });
}

fn fri_layer(proof: &mut Proof, layer: usize) -> &mut FriLayerProof<Blake2sMerkleHasher> {
    let fri = &mut proof.0.fri_proof;
    match layer {
        0 => &mut fri.first_layer,
        layer => &mut fri.inner_layers[layer - 1],
    }
}

#[test]
fn every_list_has_its_length() {
    for vector in vectors() {
        let statement = vector.statement();
        let proof = decode(&vector.proof).unwrap();
        let mut count = 0;
        // Before stwo's verifier is asked, which has its own words for some of them.
        let mut check = |changed: &Proof| {
            count += 1;
            let result = verify(&*statement, &vector.claimed_sums(), &encode(changed), &Policy::ANY);
            let is_shape = matches!(result, Err(VerifyError::Shape(_) | VerifyError::TooLong { .. }));
            assert!(is_shape, "{}, change {count}: {result:?}", vector.name);
        };
        let (secure, base) = (SecureField::default(), BaseField::default());
        let root = Blake2sHash::default();
        lists(&proof, |p| Some(&mut p.0.commitments.0), Some(root), &mut check);
        lists(&proof, |p| Some(&mut p.0.sampled_values.0), Some(vec![]), &mut check);
        lists(&proof, |p| Some(&mut p.0.queried_values.0), Some(vec![]), &mut check);
        lists(&proof, |p| Some(&mut p.0.decommitments.0), None, &mut check);
        for tree in 0..proof.commitments.len() {
            lists(&proof, |p| Some(&mut p.0.sampled_values[tree]), Some(vec![]), &mut check);
            lists(&proof, |p| Some(&mut p.0.queried_values[tree]), Some(vec![]), &mut check);
            lists(&proof, |p| Some(&mut p.0.decommitments[tree].hash_witness), Some(root), &mut check);
            let columns = proof.sampled_values[tree].len();
            for column in [0, columns / 2, columns.wrapping_sub(1)] {
                lists(&proof, |p| p.0.sampled_values[tree].get_mut(column), Some(secure), &mut check);
                lists(&proof, |p| p.0.queried_values[tree].get_mut(column), Some(base), &mut check);
            }
        }
        lists(&proof, |p| Some(&mut p.0.fri_proof.inner_layers), None, &mut check);
        for layer in 0..=proof.fri_proof.inner_layers.len() {
            lists(&proof, |p| Some(&mut fri_layer(p, layer).fri_witness), Some(secure), &mut check);
            lists(&proof, |p| Some(&mut fri_layer(p, layer).decommitment.hash_witness), Some(root), &mut check);
        }
        let coefficients = proof.fri_proof.last_layer_poly.to_vec();
        for length in [1, 2, 4, 8, 16].into_iter().filter(|length| *length != coefficients.len()) {
            let mut changed = proof.clone();
            let cycled = coefficients.iter().copied().cycle().take(length).collect();
            changed.0.fri_proof.last_layer_poly = LinePoly::new(cycled);
            check(&changed);
        }
        assert!(count > 50, "{}", vector.name);
    }
}

#[test]
fn parts_of_other_proofs_are_refused() {
    // Two proofs of one shape and different statements, each part exchanged.
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let other = decode(&golden::circle::vector("plonk_n5_b1_q9_f2_l2_p6_L8").proof).unwrap();
    let statement = vector.statement();
    let proof = decode(&vector.proof).unwrap();
    let parts: [fn(&mut Proof, &Proof); 8] = [
        |p, o| p.0.config = o.0.config,
        |p, o| p.0.commitments = o.0.commitments.clone(),
        |p, o| p.0.sampled_values = o.0.sampled_values.clone(),
        |p, o| p.0.decommitments = o.0.decommitments.clone(),
        |p, o| p.0.queried_values = o.0.queried_values.clone(),
        |p, o| p.0.proof_of_work = o.0.proof_of_work,
        |p, o| p.0.fri_proof = o.0.fri_proof.clone(),
        |p, o| p.0.fri_proof.first_layer = o.0.fri_proof.first_layer.clone(),
    ];
    for (index, part) in parts.iter().enumerate() {
        let mut changed = proof.clone();
        part(&mut changed, &other);
        refuse(&vector, &*statement, &encode(&changed), || format!("part {index}"));
    }
}
