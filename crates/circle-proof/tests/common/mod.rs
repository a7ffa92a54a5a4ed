//! The vectors of `vectors/circle`.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use circle_air::airs::{ShippedAir, build};
use serde_json::Value;
use stwo::core::fields::qm31::SecureField;

/// A proof of the reference and what is known of it.
pub struct Vector {
    /// Name of the file, without its extension.
    pub name: String,
    /// What was computed on the way.
    pub json: Value,
    /// The bytes of the proof.
    pub proof: Vec<u8>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circle")
}

/// All vectors, by name.
pub fn vectors() -> Vec<Vector> {
    let mut names: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    assert_eq!(names.len(), 16);
    names.into_iter().map(vector).collect()
}

/// The vector of that name.
pub fn vector(name: impl Into<String>) -> Vector {
    let name = name.into();
    let file = |extension: &str| fs::read(folder().join(format!("{name}.{extension}"))).unwrap();
    Vector { json: serde_json::from_slice(&file("json")).unwrap(), proof: file("proof.bin"), name }
}

/// A number.
pub fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

/// An extension element.
pub fn secure(value: &Value) -> SecureField {
    let [a, b, c, d] = [0, 1, 2, 3].map(|index| number(&value[index]));
    SecureField::from_u32_unchecked(a, b, c, d)
}

/// A list of extension elements; null is none.
pub fn secures(value: &Value) -> Vec<SecureField> {
    value.as_array().map_or(Vec::new(), |values| values.iter().map(secure).collect())
}

impl Vector {
    /// The words of the statement.
    pub fn words(&self) -> Vec<u32> {
        self.json["statement_words"].as_array().unwrap().iter().map(number).collect()
    }

    /// The statement.
    pub fn statement(&self) -> Arc<dyn ShippedAir> {
        self.statement_with(|_| ())
    }

    /// The statement with other parameters.
    pub fn statement_with(&self, change: impl FnOnce(&mut Vec<(String, String)>)) -> Arc<dyn ShippedAir> {
        let text = self.json["params"].as_str().unwrap();
        let mut params: Vec<(String, String)> =
            text.split(';').map(|param| param.split_once('=').unwrap()).map(|(n, v)| (n.into(), v.into())).collect();
        change(&mut params);
        build(self.json["air"].as_str().unwrap(), self.words()[1], &params).unwrap()
    }

    /// The claimed sums.
    pub fn claimed_sums(&self) -> Vec<SecureField> {
        secures(&self.json["claimed_sums"])
    }
}
