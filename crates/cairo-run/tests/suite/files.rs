//! The files of `vectors/cairo` and `vectors/cairo1`, and digests in their form.

use cairo_run::{Run, State};
use std::path::PathBuf;

use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) fn read(path: &str) -> Vec<u8> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path);
    std::fs::read(&full).unwrap_or_else(|error| panic!("{}: {error}", full.display()))
}

/// A vector file, for example `cairo/vectors/fib_10.small.json`.
pub(crate) fn vector(path: &str) -> Value {
    serde_json::from_slice(&read(path)).unwrap()
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn sha256_words(words: impl IntoIterator<Item = u32>) -> String {
    sha256(&words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>())
}

/// Compares a ProverInput with the section `prover_input` of a vector, piece by piece, then as a whole.
pub(crate) fn compare_prover_input(name: &str, input: &Run, vector: &Value) {
    let expected = &vector["prover_input"];
    let text = |key: &str| expected[key].as_str().unwrap().to_string();
    let number = |key: &str| expected[key].as_u64().unwrap() as usize;
    let memory = &input.memory;
    assert_eq!(memory.address_to_id.len(), number("address_to_id_len"), "{name}: addresses");
    assert_eq!(memory.f252_values.len(), number("n_big_values"), "{name}: big values");
    assert_eq!(memory.small_values.len(), number("n_small_values"), "{name}: small values");
    assert_eq!(input.pc_count, number("pc_count"), "{name}: pc_count");
    assert_eq!(input.public_memory_addresses.len(), number("n_public_memory_addresses"), "{name}: public addresses");

    for (key, state) in [
        ("initial_state", &input.state_transitions.initial_state),
        ("final_state", &input.state_transitions.final_state),
    ] {
        let expected = ["pc", "ap", "fp"].map(|register| expected[key][register].as_u64().unwrap() as u32);
        assert_eq!(state.values(), expected, "{name}: {key}");
    }
    let states = serde_json::to_value(&input.state_transitions.casm_states_by_opcode).unwrap();
    for (opcode, count) in expected["opcode_counts"].as_object().unwrap() {
        assert_eq!(states[opcode].as_array().unwrap().len() as u64, count.as_u64().unwrap(), "{name}: {opcode}");
    }
    for (opcode, digest) in expected["opcode_states_sha256"].as_object().unwrap() {
        let states: Vec<State> = serde_json::from_value(states[opcode].clone()).unwrap();
        let words = states.iter().flat_map(State::values);
        assert_eq!(sha256_words(words), digest.as_str().unwrap(), "{name}: states of {opcode}");
    }
    let builtins = serde_json::to_value(&input.builtin_segments).unwrap();
    assert_eq!(builtins, expected["builtin_segments"], "{name}: builtin segments");

    assert_eq!(sha256_words(memory.address_to_id.iter().copied()), text("address_to_id_sha256"), "{name}: ids");
    assert_eq!(
        sha256_words(memory.f252_values.iter().flatten().copied()),
        text("big_values_sha256"),
        "{name}: big values"
    );
    let small = memory.small_values.iter().flat_map(|value| (0..4).map(move |i| (value >> (32 * i)) as u32));
    assert_eq!(sha256_words(small), text("small_values_sha256"), "{name}: small values");
    let public = sha256_words(input.public_memory_addresses.iter().copied());
    assert_eq!(public, text("public_memory_addresses_sorted_sha256"), "{name}: public addresses");
    assert_eq!(sha256(&bincode1::serialize(input).unwrap()), text("sha256_bincode1"), "{name}: the whole ProverInput");
}
