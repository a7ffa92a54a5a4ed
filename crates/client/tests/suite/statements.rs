//! Preimages and facts, next to those of the public proof.

use cairo_run::parse_arguments_file;
use client::facts::{FactsError, circuit_outputs, facts, json, output, preimage};
use field::{M31, QM31};

use crate::files;

#[test]
fn the_public_proof_states_its_preimage() {
    let vector = files::public();
    let preimage = files::public_preimage();
    assert_eq!(output(&preimage), files::felts(&serde_json::json!([vector["output_felt"]]))[0]);
    let outputs: [[u32; 4]; 2] = serde_json::from_value(vector["circuit"]["output_values"].clone()).unwrap();
    assert_eq!(circuit_outputs(&preimage).unwrap(), outputs.map(|words| QM31(words.map(M31::new))));
}

#[test]
fn facts_and_preimages_are_each_others() {
    let preimage = files::public_preimage();
    let stated = facts(&preimage).unwrap();
    let markers = serde_json::json!(["0x50524f4f4631", "0x5649525455414c5f534e4f53"]);
    assert_eq!(stated[..2], files::felts(&markers));
    assert_eq!(stated[2..], preimage[2..]);
    assert_eq!(self::preimage(&stated).unwrap(), preimage);
    for list in [&preimage, &stated] {
        assert_eq!(parse_arguments_file(json(list).as_bytes()).unwrap(), *list);
    }
}

#[test]
fn lists_that_are_neither_are_refused() {
    let whole = files::public_preimage();
    let stated = facts(&whole).unwrap();
    // One in the place of the other.
    assert!(matches!(facts(&stated), Err(FactsError::Felt { index: 0, .. })));
    assert!(matches!(preimage(&whole), Err(FactsError::Felt { index: 0, .. })));
    for index in 0..2 {
        let mut changed = whole.clone();
        changed[index] += cairo_run::Felt252::ONE;
        assert!(matches!(circuit_outputs(&changed), Err(FactsError::Felt { index: found, .. }) if found == index));
        let mut changed = stated.clone();
        changed[index] += cairo_run::Felt252::ONE;
        assert!(matches!(preimage(&changed), Err(FactsError::Felt { index: found, .. }) if found == index));
    }
    for found in 0..3 {
        assert_eq!(facts(&whole[..found]), Err(FactsError::Few { found }));
        assert_eq!(preimage(&stated[..found]), Err(FactsError::Few { found }));
    }
}
