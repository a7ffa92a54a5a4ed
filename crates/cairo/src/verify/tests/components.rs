//! Properties of every component of cairo-air, asked of its own types.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cairo_air::cairo_components::CairoComponents;
use cairo_air::relations::CommonLookupElements;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;

use super::*;
use crate::checks::check_components;

/// A sum of zero, as cairo-air writes it.
fn no_sum() -> Value {
    json!({ "claimed_sum": SecureField::zero() })
}

#[test]
fn every_component_has_its_sum_and_no_other_has_one() {
    let sums = serde_json::to_value(fib_10().interaction_claim).unwrap();
    let names: Vec<&String> = sums.as_object().unwrap().keys().collect();
    assert!(names.len() > 60, "{names:?}");
    for name in names {
        let is_there = !sums[name].is_null();
        let mut changed = sums.clone();
        changed[name] = if is_there { Value::Null } else { no_sum() };
        let error = bad_claim(|proof| proof.interaction_claim = serde_json::from_value(changed).unwrap());
        match error {
            ClaimError::NoSum { component } if is_there => assert_eq!(component, name),
            ClaimError::SumOfNothing { component } if !is_there => assert_eq!(component, name),
            error => panic!("{name}: {error}"),
        }
    }
}

/// Every component with 2^21 rows, one more than `canonical_small` has numbers for: too long are exactly the ones that
/// cairo-air cannot build, because they number their rows.
#[test]
fn components_that_number_their_rows_are_not_longer_than_the_numbers() {
    let proof = fib_10();
    let (claims, sums) = (serde_json::to_value(&proof.claim).unwrap(), serde_json::to_value(&proof.interaction_claim));
    let (variant, sums) = (Variant::CanonicalSmall, sums.unwrap());
    let ids: Vec<_> =
        preprocessed::columns(variant).iter().map(|column| PreProcessedColumnId { id: column.id.clone() }).collect();
    let mut others = Map::new();
    for name in ["builtins_3.canonical", "opcodes_1.canonical", "blake_7.small", "modops_5_20.small", "qm31_50.small"]
        .into_iter()
        .chain(["pedersen_20.small", "pedersen_20.canonical", "ec_op_3.canonical", "range_check96_30.small"])
    {
        others.extend(vector(name)["claim"]["components"].as_object().unwrap().clone());
    }
    let mut numbered = 0;
    for (name, component) in others.iter().filter(|(_, component)| component["log_size"].is_u64()) {
        let (mut claim, mut sums) = (claims.clone(), sums.clone());
        claim[name] = component.clone();
        claim[name]["log_size"] = json!(21);
        sums[name] = no_sum();
        let claim: CairoClaim = serde_json::from_value(claim).unwrap();
        let sums = serde_json::from_value(sums).unwrap();
        let built = catch_unwind(AssertUnwindSafe(|| {
            CairoComponents::new(&claim, &CommonLookupElements::dummy(), &sums, &ids).components().len()
        }));
        let checked = check_components::<Air13>(&claim, variant, 0);
        match built {
            Ok(count) => assert_eq!((checked, count > 0), (Ok(()), true), "{name}"),
            Err(_) => {
                numbered += 1;
                let component = match checked {
                    Err(ClaimError::TooLong { component, log_size: 21, most: 20, .. }) => component,
                    other => panic!("{name}: {other:?}"),
                };
                assert_eq!(component, name);
            }
        }
    }
    assert_eq!(numbered, 15);
}
