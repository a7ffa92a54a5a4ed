//! Changes of JSON values, which keep it JSON except for the last step.

use serde_json::{Map, Value, json};

use crate::mutate::raised;
use crate::script::Script;

/// The text of a changed value; `other` gives parts that are put in. Now and then nothing changes.
pub fn mutated(original: &Value, other: &Value, script: &mut Script<'_>) -> Vec<u8> {
    let mut value = original.clone();
    let count = if script.below(4) == 0 { 1 + script.below(4) } else { 1 };
    (0..count).for_each(|_| change(&mut value, other, script));
    let mut text = serde_json::to_vec(&value).expect("a value has a text");
    match script.below(32) {
        0 => text.truncate(script.below(text.len())),
        1 => {
            let at = script.below(text.len());
            text[at] ^= script.byte();
        }
        _ => {}
    }
    text
}

/// Changes one value inside.
fn change(value: &mut Value, other: &Value, script: &mut Script<'_>) {
    let is_here = script.below(10) == 0;
    let length = match value {
        Value::Array(items) if !is_here => items.len(),
        Value::Object(members) if !is_here => members.len(),
        _ => 0,
    };
    if length == 0 {
        return change_here(value, other, script);
    }
    let at = script.below(length);
    match value {
        Value::Array(items) => change(&mut items[at], other.get(at).unwrap_or(other), script),
        Value::Object(members) => {
            if let Some((name, member)) = members.iter_mut().nth(at) {
                change(member, other.get(name).unwrap_or(other), script);
            }
        }
        _ => {}
    }
}

fn change_here(value: &mut Value, other: &Value, script: &mut Script<'_>) {
    if script.below(16) == 0 {
        // A value of another kind, or the value at the same place of another.
        *value = match script.below(8) {
            0 => Value::Null,
            1 => json!([]),
            2 => json!({}),
            3 => json!("0x1"),
            4 => json!(true),
            5 => json!([value.clone()]),
            _ => other.clone(),
        };
        return;
    }
    match value {
        Value::Null => *value = json!(script.below(3)),
        Value::Bool(is) => *is = !*is,
        Value::Number(number) => {
            let old = number.as_u64().unwrap_or_default();
            *value = changed_number(old, script);
        }
        Value::String(text) => *text = changed_text(text, script),
        Value::Array(items) => change_items(items, script),
        Value::Object(members) => change_members(members, script),
    }
}

fn changed_number(old: u64, script: &mut Script<'_>) -> Value {
    const M31: u64 = (1 << 31) - 1;
    let values = [0, 1, 2, M31 - 1, M31, 1 << 31, u64::from(u32::MAX), 1 << 32, u64::MAX >> 1, u64::MAX];
    match script.below(8) {
        0 => json!(-1),
        1 => json!(0.5),
        2 => json!(old.wrapping_add(M31)),
        3 => json!(old ^ 1 << script.below(64)),
        4 => json!(script.word() >> script.below(64)),
        5 => json!(old.wrapping_add_signed(if script.below(2) == 0 { 1 } else { -1 })),
        _ => json!(values[script.below(values.len())]),
    }
}

fn changed_text(old: &str, script: &mut Script<'_>) -> String {
    /// The prime of Cairo, one less, one more; half of it, from which on numbers are negative; 2^128; 2^252.
    const TEXTS: [&str; 14] = [
        "",
        "0x",
        "0x0",
        "0x1",
        "-1",
        "é",
        "0x800000000000011000000000000000000000000000000000000000000000001",
        "0x800000000000011000000000000000000000000000000000000000000000000",
        "0x800000000000011000000000000000000000000000000000000000000000002",
        "0x400000000000008800000000000000000000000000000000000000000000001",
        "0x100000000000000000000000000000000",
        "0x1000000000000000000000000000000000000000000000000000000000000000",
        "3618502788666131213697322783095070105623107215331596699973092056135872020481",
        "main",
    ];
    let mut letters: Vec<char> = old.chars().collect();
    match script.below(6) {
        0 if !letters.is_empty() => drop(letters.remove(script.below(letters.len()))),
        1 => letters.insert(script.below(letters.len() + 1), char::from(b' ' + script.byte() % 95)),
        2 | 3 if !letters.is_empty() => {
            let at = script.below(letters.len());
            letters[at] = char::from(b"0123456789abcdef"[script.below(16)]);
        }
        4 => letters.extend(std::iter::repeat_n('0', script.below(100))),
        5 if !old.is_empty() && old.bytes().all(|letter| letter.is_ascii_digit()) => return raised(old),
        _ => return TEXTS[script.below(TEXTS.len())].to_owned(),
    }
    letters.into_iter().collect()
}

fn change_items(items: &mut Vec<Value>, script: &mut Script<'_>) {
    if items.is_empty() {
        items.push(json!(script.below(3)));
        return;
    }
    let (at, with) = (script.below(items.len()), script.below(items.len()));
    match script.below(6) {
        0 => drop(items.remove(at)),
        1 => items.insert(at, items[with].clone()),
        2 => items.swap(at, with),
        3 => items.truncate(at),
        4 => items.clear(),
        _ => items[at] = items[with].clone(),
    }
}

fn change_members(members: &mut Map<String, Value>, script: &mut Script<'_>) {
    let names: Vec<String> = members.keys().cloned().collect();
    let pick = |script: &mut Script<'_>| names.get(script.below(names.len())).cloned().unwrap_or_default();
    let (name, with) = (pick(script), pick(script));
    let taken = members.get(&with).cloned().unwrap_or_default();
    match script.below(4) {
        0 => drop(members.remove(&name)),
        1 => drop(members.insert(changed_text(&name, script), taken)),
        2 => {
            let moved = members.remove(&name).unwrap_or_default();
            members.insert(changed_text(&name, script), moved);
        }
        _ => drop(members.insert(name, taken)),
    }
}

#[cfg(test)]
mod tests {
    use field::SplitMix64;

    use super::*;

    /// Most changes are of a value deep inside, and the result is JSON.
    #[test]
    fn values_are_changed_and_stay_values() {
        let [one, other] = [json!({"a": [1, 2, {"b": "0x5"}], "c": true}), json!({"a": [7, 8], "c": "no"})];
        let mut random = SplitMix64::new(1);
        let mut text = |_| mutated(&one, &other, &mut Script::new(&random.word().to_le_bytes()));
        let texts: Vec<_> = (0..1000).map(&mut text).collect();
        let values: Vec<Value> = texts.iter().filter_map(|text| serde_json::from_slice(text).ok()).collect();
        let is_changed = |value: &&Value| **value != one;
        assert!(values.len() > 900 && values.iter().filter(is_changed).count() > 800, "{}", values.len());
        let deep = values.iter().filter(|value| value["a"][2]["b"].is_string() && value["a"][2]["b"] != "0x5");
        assert!(deep.count() > 50);
    }
}
