use circle_air::airs::build;
use field::circle::Coset;
use golden::circle::{Vector, vector};

use super::*;

/// A statement of 16 rows and its layout.
fn layout() -> Layout {
    let statement = build("fibonacci", 4, &[]).unwrap();
    layout_of(&*statement, &CircleOptions::default()).unwrap()
}

#[test]
fn points_that_would_be_divided_by_are_refused() {
    let layout = layout();
    let point = CirclePoint::from_parameter(QM31([987, 654, 321, 98].map(M31::new))).expect("a point");
    assert!(check_denominators(&layout, point, &[0, 5, 63]).is_ok());
    // A point of the base field is its own conjugate.
    let real = Coset::canonic(20).at(3).into_extension();
    assert!(matches!(check_denominators(&layout, real, &[]), Err(VerifyError::Degenerate)));
    // A sample point is moved by a row, so the line through the moved point may meet a query.
    let step = CirclePointIndex::subgroup_generator(layout.log_degree()) * 2;
    let moved = real - step.to_point().into_extension();
    assert!(matches!(check_denominators(&layout, moved, &[]), Err(VerifyError::Degenerate)));
}

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
