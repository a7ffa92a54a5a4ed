//! Everything in a proof is bound: it is changed number by number and list by list, and refused each time. Nothing
//! panics.

use cairo::Proof;
use cairo::file::decode;
use cairo::verify::VerifyError;
use circle_proof::Suite;
use serde_json::{Value, json};
use stwo::core::fields::m31::P;

use super::files::{PROOFS, bytes, proof, verify};

/// Where something stands in a JSON value: keys and positions, from the outside.
pub(super) type Place = Vec<String>;

/// All numbers, and all lists, null and empty ones included.
pub(super) fn places(value: &Value, at: &mut Place, numbers: &mut Vec<Place>, others: &mut Vec<Place>) {
    match value {
        Value::Number(_) => numbers.push(at.clone()),
        Value::Array(items) => {
            others.push(at.clone());
            for (index, item) in items.iter().enumerate() {
                at.push(index.to_string());
                places(item, at, numbers, others);
                at.pop();
            }
        }
        Value::Object(items) => {
            others.push(at.clone());
            for (key, item) in items {
                at.push(key.clone());
                places(item, at, numbers, others);
                at.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => others.push(at.clone()),
    }
}

pub(super) fn pointer(place: &Place) -> String {
    place.iter().map(|key| format!("/{key}")).collect()
}

/// Verifies a proof with something changed.
fn refused(value: &Value, place: &Place, change: impl FnOnce(&mut Value)) {
    let mut changed = value.clone();
    change(changed.pointer_mut(&pointer(place)).unwrap());
    // A file that is no proof any more is refused, too.
    if let Ok(proof) = serde_json::from_value::<Proof>(changed) {
        let error = verify(proof).err();
        assert!(error.is_some(), "{}", pointer(place));
        let error = error.unwrap().to_string();
        assert!(!error.contains("panicked"), "{}: {error}", pointer(place));
    }
}

/// Places to be changed: all of the claim, of the sums and of the rest the front of each list.
fn is_tried(place: &Place) -> bool {
    let index = |key: &String| key.parse::<usize>().ok();
    let most = if place[0] == "stark_proof" { 2 } else { 6 };
    place.iter().filter_map(index).all(|index| index < most)
}

#[test]
fn every_number_is_bound() {
    let value = serde_json::to_value(proof("cairo/fib_10.small")).unwrap();
    let (mut numbers, mut others) = (Vec::new(), Vec::new());
    places(&value, &mut Vec::new(), &mut numbers, &mut others);
    let tried: Vec<_> = numbers.iter().filter(|place| is_tried(place)).collect();
    assert!(tried.len() > 300, "{}", tried.len());
    for place in tried {
        let number = value.pointer(&pointer(place)).unwrap().as_u64().unwrap();
        refused(&value, place, |value| *value = (number ^ 1).into());
    }
}

/// Segments and pointers of builtins that are used, words of programs and outputs to the last, all sums.
#[test]
fn every_number_of_a_claim_is_bound() {
    for name in ["cairo/fib_10.small", "cairo/ec_op_3.wo", "cairo1/hashes.small"] {
        let honest = proof(name);
        let parts = json!({ "claim": honest.claim, "interaction_claim": honest.interaction_claim });
        let (mut numbers, mut others) = (Vec::new(), Vec::new());
        places(&parts, &mut Vec::new(), &mut numbers, &mut others);
        // All words of a short program, some of one that takes long to hash.
        let step = if honest.claim.public_data.public_memory.program.len() > 100 { 97 } else { 1 };
        let is_tried = |place: &&Place| match place.as_slice() {
            [_, _, _, list, word, ..] if list == "program" => word.parse::<usize>().unwrap().is_multiple_of(step),
            _ => true,
        };
        for place in numbers.iter().filter(is_tried) {
            let mut parts = parts.clone();
            let number = parts.pointer_mut(&pointer(place)).unwrap();
            *number = (number.as_u64().unwrap() ^ 1).into();
            let mut forged = honest.clone();
            forged.claim = serde_json::from_value(parts["claim"].take()).unwrap();
            forged.interaction_claim = serde_json::from_value(parts["interaction_claim"].take()).unwrap();
            match verify(forged) {
                Err(VerifyError::Panicked(said)) => panic!("{name}{}: {said}", pointer(place)),
                Err(_) => {}
                Ok(_) => panic!("{name}{}: accepted", pointer(place)),
            }
        }
    }
}

/// Numbers at the edges of their types and fields.
#[test]
fn extreme_numbers_are_refused() {
    let value = serde_json::to_value(proof("cairo/tiny.small")).unwrap();
    let (mut numbers, mut others) = (Vec::new(), Vec::new());
    places(&value, &mut Vec::new(), &mut numbers, &mut others);
    let first = |place: &&Place| place.iter().filter_map(|key| key.parse::<usize>().ok()).all(|index| index == 0);
    for place in numbers.iter().filter(first) {
        let number = value.pointer(&pointer(place)).unwrap().as_u64().unwrap();
        for extreme in [0, 31, 32, 63, 64, u64::from(P), u64::from(u32::MAX), u64::from(P) + number, u64::MAX] {
            if extreme != number {
                refused(&value, place, |value| *value = extreme.into());
            }
        }
    }
}

#[test]
fn every_list_is_bound() {
    for name in ["cairo/fib_10.small", "cairo1/hashes.small"] {
        let value = serde_json::to_value(proof(name)).unwrap();
        let (mut numbers, mut others) = (Vec::new(), Vec::new());
        places(&value, &mut Vec::new(), &mut numbers, &mut others);
        for place in others.iter().filter(|place| place.is_empty() || is_tried(place)) {
            match value.pointer(&pointer(place)).unwrap() {
                Value::Array(items) if !items.is_empty() => {
                    refused(&value, place, |value| {
                        value.as_array_mut().unwrap().pop();
                    });
                    refused(&value, place, |value| {
                        let items = value.as_array_mut().unwrap();
                        items.push(items[0].clone());
                    });
                    refused(&value, place, |value| value.as_array_mut().unwrap().clear());
                }
                Value::Array(_) => {}
                // An option that is there, unless it must be.
                Value::Object(_) => refused(&value, place, |value| *value = Value::Null),
                _ => {}
            }
        }
    }
}

/// Parts that a proof does not have: components, segments, a lifting.
#[test]
fn nothing_can_be_added() {
    let value = serde_json::to_value(proof("cairo/fib_10.small")).unwrap();
    let donor = serde_json::to_value(proof("cairo/ec_op_3.wo")).unwrap();
    for part in ["claim", "interaction_claim"] {
        for (key, item) in value[part].as_object().unwrap() {
            let given = &donor[part][key];
            if item.is_null() && !given.is_null() {
                refused(&value, &vec![part.to_owned(), key.clone()], |value| *value = given.clone());
            }
        }
    }
    let lifting = ["stark_proof", "config", "lifting_log_size"].map(str::to_owned).to_vec();
    for size in [0, 20, 21, 22, 30, 31, u32::MAX] {
        refused(&value, &lifting, |value| *value = size.into());
    }
}

#[test]
fn every_byte_is_bound() {
    for name in PROOFS {
        let bytes = bytes(name);
        // Every 997th.
        for at in (name.len()..bytes.len()).step_by(997) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            if let Ok((proof, _)) = decode(&changed, u64::MAX, Suite::Blake2s) {
                assert!(verify(proof).is_err(), "{name}: byte {at}");
            }
        }
    }
}
