//! The vectors.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use cairo_run::pie::{self, CairoPie};
use cairo_run::{Felt252, felt};
use field::{M31, QM31};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) fn read(path: &str) -> Vec<u8> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path);
    fs::read(&full).unwrap_or_else(|error| panic!("{}: {error}", full.display()))
}

pub(crate) fn vector(name: &str) -> Value {
    serde_json::from_slice(&read(&format!("circuits/{name}.json"))).unwrap()
}

/// The facts of Starknet's public client proof.
pub(crate) fn public() -> Value {
    vector("cairo_pie_10_transfers")
}

/// The same proof as it is written, before it is packed.
pub(crate) fn public_written() -> Vec<u8> {
    read("circuits/cairo_pie_10_transfers.proof.bin")
}

/// The preimage that it states.
pub(crate) fn public_preimage() -> Vec<Felt252> {
    felts(&public()["output_preimage"])
}

pub(crate) fn felts(list: &Value) -> Vec<Felt252> {
    list.as_array().unwrap().iter().map(|text| felt::parse(text.as_str().unwrap()).unwrap()).collect()
}

pub(crate) fn pie(name: &str) -> Arc<CairoPie> {
    Arc::new(pie::read(&read(&format!("pies/{name}.zip")), pie::DEFAULT_MAX_BYTES).unwrap())
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The digest of the values of all wires, as the vectors have it.
pub(crate) fn digest_of_values(values: &[QM31]) -> String {
    let words = values.iter().flat_map(|value| value.0).map(M31::value);
    sha256(&words.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}
