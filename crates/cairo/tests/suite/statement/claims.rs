//! Claims, and the shapes of components.

use std::collections::{BTreeMap, BTreeSet};

use circle_air::RecordedStatement;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::vectors::{number, vectors};

/// The digest by which a vector names words of memory: each its id, then its value.
fn section(words: &Value) -> Value {
    let words = words.as_array().unwrap();
    let numbers = words.iter().flat_map(|word| {
        let value = word[1].as_array().unwrap().iter();
        std::iter::once(&word[0]).chain(value).map(|number| number.as_u64().unwrap() as u32)
    });
    let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    json!({ "len": words.len(), "sha256_of_id_then_8_words": hex::encode(Sha256::digest(bytes)) })
}

#[test]
fn claims_are_those_of_the_vectors() {
    for vector in vectors() {
        let name = &vector.name;
        let mut claim = serde_json::to_value(vector.statement().claim()).unwrap();
        let claim = claim.as_object_mut().unwrap();
        let mut public = claim.remove("public_data").unwrap();
        for part in ["program", "output"] {
            let digest = section(&public["public_memory"][part]);
            public["public_memory"][part] = digest;
        }
        // A vector leaves missing components out.
        claim.retain(|_, component| !component.is_null());
        assert_eq!(public, vector.json["claim"]["public_data"], "{name}");
        assert_eq!(Value::from(claim.clone()), vector.json["claim"]["components"], "{name}");
    }
}

#[test]
fn components_are_those_of_the_vectors() {
    for vector in vectors() {
        let statement = vector.statement();
        let recorded = RecordedStatement::new(&statement, None).unwrap();
        let expected = vector.components();
        assert_eq!(recorded.components.len(), expected.len(), "{}", vector.name);
        for (component, expected) in recorded.components.iter().zip(expected) {
            let place = format!("{}: {}", vector.name, expected["name"]);
            let found = [
                u64::from(component.log_size),
                component.width(0) as u64,
                component.width(1) as u64,
                component.width(2) as u64,
                component.constraint_count() as u64,
            ];
            let keys = ["log_size", "n_preprocessed_used", "n_main", "n_interaction", "n_constraints"];
            assert_eq!(found, keys.map(|key| number(&expected[key])), "{place}");
            assert!(component.logup.is_some(), "{place}");
        }
        // The powers of alpha that cairo-air has, and that proofs' security counts on.
        assert!((2..=128).contains(&recorded.relation_width), "{}: {}", vector.name, recorded.relation_width);
    }
}

/// So that kernels that were compiled for some programs are there for all.
#[test]
fn a_component_has_the_same_programs_in_all_runs() {
    let mut known = BTreeMap::new();
    let mut heights = BTreeSet::new();
    for vector in vectors() {
        let recorded = RecordedStatement::new(&vector.statement(), None).unwrap();
        for (component, expected) in recorded.components.into_iter().zip(vector.components()) {
            let name = expected["name"].as_str().unwrap();
            if name == "memory_address_to_id" {
                heights.insert(component.log_size);
            }
            let programs = (component.constraints, component.logup.map(|logup| logup.program));
            let first = known.entry(name.to_owned()).or_insert_with(|| programs.clone());
            assert_eq!(*first, programs, "{name} of {}", vector.name);
        }
    }
    assert!(heights.len() > 2 && known.len() > 50, "{heights:?}, {} components", known.len());
}
