//! The golden vectors of the repository, for the tests of this crate.

use std::fs;
use std::path::PathBuf;

use field::{Fp3, Goldilocks};
use gpu_hal::GoldilocksStark;
use serde_json::Value;

/// Proofs with challenges in the cubic extension.
pub(crate) type Cubic = GoldilocksStark<Fp3>;
/// Proofs with challenges in the base field.
pub(crate) type Base = GoldilocksStark<Goldilocks>;

/// A golden proof with its parameters and intermediates.
pub(crate) struct Vector {
    /// File name without extensions.
    pub(crate) name: String,
    /// The JSON file.
    pub(crate) json: Value,
    /// The encoded proof.
    pub(crate) bytes: Vec<u8>,
}

impl Vector {
    /// Whether the challenges are in the base field.
    pub(crate) fn is_base(&self) -> bool {
        self.name.starts_with("fibrap_base")
    }
}

/// All twelve of them.
pub(crate) fn vectors() -> Vec<Vector> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/goldilocks");
    let mut vectors: Vec<Vector> = fs::read_dir(&folder)
        .expect("vectors/goldilocks is part of the repository")
        .filter_map(|entry| {
            let path = entry.expect("readable folder").path();
            let name = path.file_name()?.to_str()?.strip_suffix(".proof.bin")?.to_owned();
            let json = fs::read(folder.join(format!("{name}.json"))).expect("each proof has its JSON");
            let json = serde_json::from_slice(&json).expect("valid JSON");
            Some(Vector { name, json, bytes: fs::read(&path).expect("readable proof") })
        })
        .collect();
    vectors.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(vectors.len(), 12, "golden proofs");
    vectors
}

/// The bytes of a hexadecimal JSON string.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a string")).expect("hexadecimal")
}

/// The nonce of a vector, if it has one.
pub(crate) fn nonce(json: &Value) -> Option<u64> {
    json["nonce"].as_u64().or_else(|| json["nonce"].as_str()?.parse().ok())
}
