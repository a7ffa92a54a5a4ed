use golden::circle::{Vector, vector};

use super::*;
use crate::check;

/// A vector with lookups, and the layout of its proof.
fn plonk() -> (Vector, Layout) {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let options = decode_config(&vector.proof, Suite::default()).unwrap();
    let layout = layout_of(&*vector.statement(), &options).unwrap();
    (vector, layout)
}

/// For callers of stwo's verifier itself, which relies on every length.
#[test]
fn a_list_of_another_length_is_not_for_stwo_s_verifier() {
    let (vector, layout) = plonk();
    let check_changed = |change: fn(&mut Proof)| {
        let mut proof = decode(&vector.proof, Suite::default()).unwrap();
        let (rounds, _) = begin(&*vector.statement(), &layout, &proof, &vector.claimed_sums()).unwrap();
        change(&mut proof);
        check(&layout, &proof, rounds)
    };
    assert!(check_changed(|_| {}).is_ok());
    let refused = |change| match check_changed(change) {
        Err(VerifyError::Shape(error)) => error.what,
        other => panic!("{other:?}"),
    };
    // The transcript is unchanged.
    assert_eq!(refused(|proof| proof.sampled_values.push(Vec::new())), "trees of sampled values");
    assert_eq!(refused(|proof| proof.queried_values[1][0].truncate(2)), "queried values of column 0 of tree 1");
}

#[test]
fn what_is_as_long_as_a_proof_can_be_is_decoded() {
    let (vector, layout) = plonk();
    let most = layout.most_bytes();
    let refused = |length: u128| {
        let mut bytes = vector.proof.clone();
        bytes.resize(length.try_into().unwrap(), 0);
        decode_for(&*vector.statement(), &bytes, Suite::default()).unwrap_err()
    };
    assert!(matches!(refused(most), VerifyError::Decode(_)));
    assert!(matches!(refused(most + 1), VerifyError::TooLong { most: found, .. } if found == most));
}
