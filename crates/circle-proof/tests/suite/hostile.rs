//! No changed proof is accepted, and none makes the verifier panic.

use circle_proof::{FriLayer, Policy, Proof, Suite, VerifyError, decode, encode, verify};
use field::{Field, M31, QM31};
use golden::circle::{Vector, vector, vectors};
use gpu_hal::Digest;

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

fn fri_layer(proof: &mut Proof, layer: usize) -> &mut FriLayer {
    let fri = &mut proof.fri_proof;
    match layer {
        0 => &mut fri.first_layer,
        layer => &mut fri.inner_layers[layer - 1],
    }
}

#[test]
fn every_list_has_its_length() {
    for vector in vectors() {
        let statement = vector.statement();
        let proof = decode(&vector.proof, Suite::default()).unwrap();
        let mut count = 0;
        // Before stwo's verifier is asked, which has its own words for some of them.
        let mut check = |changed: &Proof| {
            count += 1;
            let result = verify(&*statement, &vector.claimed_sums(), &encode(changed), &Policy::ANY);
            let is_shape = matches!(result, Err(VerifyError::Shape(_) | VerifyError::TooLong { .. }));
            assert!(is_shape, "{}, change {count}: {result:?}", vector.name);
        };
        let (secure, base) = (QM31::ZERO, M31::ZERO);
        let root = Digest::default();
        lists(&proof, |p| Some(&mut p.commitments), Some(root), &mut check);
        lists(&proof, |p| Some(&mut p.sampled_values), Some(vec![]), &mut check);
        lists(&proof, |p| Some(&mut p.queried_values), Some(vec![]), &mut check);
        lists(&proof, |p| Some(&mut p.decommitments), None, &mut check);
        for tree in 0..proof.commitments.len() {
            lists(&proof, |p| Some(&mut p.sampled_values[tree]), Some(vec![]), &mut check);
            lists(&proof, |p| Some(&mut p.queried_values[tree]), Some(vec![]), &mut check);
            lists(&proof, |p| Some(&mut p.decommitments[tree]), Some(root), &mut check);
            let columns = proof.sampled_values[tree].len();
            for column in [0, columns / 2, columns.wrapping_sub(1)] {
                lists(&proof, |p| p.sampled_values[tree].get_mut(column), Some(secure), &mut check);
                lists(&proof, |p| p.queried_values[tree].get_mut(column), Some(base), &mut check);
            }
        }
        lists(&proof, |p| Some(&mut p.fri_proof.inner_layers), None, &mut check);
        for layer in 0..=proof.fri_proof.inner_layers.len() {
            lists(&proof, |p| Some(&mut fri_layer(p, layer).fri_witness), Some(secure), &mut check);
            lists(&proof, |p| Some(&mut fri_layer(p, layer).decommitment), Some(root), &mut check);
        }
        let coefficients = &proof.fri_proof.last_layer;
        for length in [1, 2, 4, 8, 16].into_iter().filter(|length| *length != coefficients.len()) {
            let mut changed = proof.clone();
            changed.fri_proof.last_layer = coefficients.iter().copied().cycle().take(length).collect();
            check(&changed);
        }
        assert!(count > 50, "{}", vector.name);
    }
}

#[test]
fn parts_of_other_proofs_are_refused() {
    // Two proofs of one shape and different statements, each part exchanged.
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let other = decode(&golden::circle::vector("plonk_n5_b1_q9_f2_l2_p6_L8").proof, Suite::default()).unwrap();
    let statement = vector.statement();
    let proof = decode(&vector.proof, Suite::default()).unwrap();
    let parts: [fn(&mut Proof, &Proof); 8] = [
        |p, o| p.config = o.config,
        |p, o| p.commitments = o.commitments.clone(),
        |p, o| p.sampled_values = o.sampled_values.clone(),
        |p, o| p.decommitments = o.decommitments.clone(),
        |p, o| p.queried_values = o.queried_values.clone(),
        |p, o| p.proof_of_work = o.proof_of_work,
        |p, o| p.fri_proof = o.fri_proof.clone(),
        |p, o| p.fri_proof.first_layer = o.fri_proof.first_layer.clone(),
    ];
    for (index, part) in parts.iter().enumerate() {
        let mut changed = proof.clone();
        part(&mut changed, &other);
        refuse(&vector, &*statement, &encode(&changed), || format!("part {index}"));
    }
}
