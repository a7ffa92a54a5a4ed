//! The transcript up to the lookup elements, and the sum of the lookups.

use cairo::air_1_3::Air13;
use circle_air::{ClaimedSumError, Statement};
use circle_proof::Committed;
use field::{M31, QM31};

use super::vectors::{element, number, vectors};

#[test]
fn elements_are_drawn_as_in_the_vectors() {
    for vector in vectors() {
        let statement = vector.statement();
        for config in ["low", "prod"] {
            let place = format!("{} {config}", vector.name);
            let [preprocessed, main] = ["preprocessed", "main"].map(|tree| vector.root(config, tree));
            let proof = &vector.json["proofs"][config];
            let nonce = number(&proof["interaction_pow_nonce"]);
            let committed = Committed::begin(&vector.options(config), &statement.mixes(), preprocessed, main);
            assert!(committed.is_valid_nonce(statement.interaction_pow_bits(), nonce), "{place}");
            let (_, drawn) = committed.draw(Some(nonce), statement.draws());
            assert_eq!(drawn, [element(&proof["lookup_z"]), element(&proof["lookup_alpha"])], "{place}");

            let mut sums = vector.claimed_sums(config);
            assert_eq!(statement.check_claimed_sums(&drawn, &sums), Ok(()), "{place}");
            sums[0] += QM31([0, 0, 1, 0].map(M31::new));
            let refused = statement.check_claimed_sums(&drawn, &sums);
            assert!(matches!(refused, Err(ClaimedSumError::Value { .. })), "{place}");
        }
    }
}

#[test]
fn the_salt_is_mixed_first() {
    let vector = super::vectors::Vector::read("fib_10.small");
    let input = vector.input();
    let sizes = cairo::witness::Sizes::new::<Air13>(&input, vector.variant()).unwrap();
    let [a, b] =
        [0, 7].map(|salt| cairo::statement::CairoStatement::<Air13>::new(&input, &sizes, salt).unwrap().mixes());
    assert_ne!(a.before_config, b.before_config);
    assert_eq!(a.before_main, b.before_main);
}
