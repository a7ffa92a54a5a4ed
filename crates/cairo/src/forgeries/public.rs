//! Public data, changed number by number under the honest claimed sums: a change that no check of the claim refuses
//! does not add up. So the lookups bind it, and not only the transcript, into which it is mixed as well.

use cairo_air::air::PublicData;
use cairo_air::claims::CairoClaim;
use circle_air::{Statement, qm31, secure as secure_of};
use num_traits::Zero;
use rayon::prelude::*;
use serde_json::Value;

use crate::air_1_3::{Air13, elements};
use crate::checks::check_claim;
use crate::preprocessed::Variant;
use crate::statement::CairoStatement;
use crate::verify::tests::{secure, vector};
use crate::witness::Sizes;
use crate::witness::tests::run;

/// Where the numbers of a value are.
fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            (0..).zip(items).for_each(|(key, item): (usize, _)| numbers(item, &format!("{at}/{key}"), found))
        }
        Value::Object(items) => items.iter().for_each(|(key, item)| numbers(item, &format!("{at}/{key}"), found)),
        _ => {}
    }
}

#[test]
fn every_public_number_is_bound() {
    let (name, variant) = ("builtins_3", Variant::Canonical);
    let input = run(name);
    let statement = CairoStatement::<Air13>::new(&input, &Sizes::new::<Air13>(&input, variant).unwrap(), 0).unwrap();
    let vector = vector("builtins_3.canonical");
    let proof = &vector["proofs"]["low"];
    let drawn = ["lookup_z", "lookup_alpha"].map(|element| qm31(secure(&proof[element])));
    let sums: Vec<_> =
        proof["components"].as_array().unwrap().iter().map(|of| qm31(secure(&of["claimed_sum"]))).collect();
    statement.check_claimed_sums(&drawn, &sums).unwrap();
    let (elements, total) = (elements(&drawn), secure_of(sums.into_iter().sum()));
    let honest = serde_json::to_value(&statement.claim().public_data).unwrap();
    let mut places = Vec::new();
    numbers(&honest, "", &mut places);

    // Whether it is the sum that refuses a change, and not the claim.
    let by_sum = |place: &String, change: u64| {
        let mut value = honest.clone();
        let number = value.pointer_mut(place).unwrap();
        *number = (number.as_u64().unwrap() ^ change).into();
        let public_data: PublicData = serde_json::from_value(value).unwrap();
        let claim = CairoClaim { public_data, ..statement.claim().clone() };
        if check_claim::<Air13>(&claim, variant).is_err() {
            return false;
        }
        assert!(!(claim.public_data.logup_sum(&elements) + total).is_zero(), "{place} ^ {change}");
        true
    };
    let changes = places.par_iter().flat_map_iter(|place| [1, 1 << 20].map(|change| by_sum(place, change)));
    // The rest is no claim: other registers, segments elsewhere, another start of the program.
    assert_eq!((places.len(), changes.filter(|by_sum| *by_sum).count()), (1564, 2994));
}
