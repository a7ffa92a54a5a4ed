//! Decoding the key of a statement: never panics, takes little memory, accepts only encodings, and admits no statement
//! but its own.
#![no_main]

use std::sync::LazyLock;

use goldilocks_verifier::{KEY_MAGIC, Key};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::{PER_BYTE, bounded, edited, recorded};

/// The key of the statement of `fuzz/corpus/compact/fibonacci-rap`.
const ORIGINAL: &[u8] = include_bytes!("../../corpus/key/fibonacci-rap");

/// The same key, made of the statement.
static FOUND: LazyLock<Key> =
    LazyLock::new(|| Key::of(&recorded("fibonacci-rap", 64, &[("steps", 63)]), "keccak256-compact"));

fn check(input: &[u8]) {
    let Ok(key) = bounded(input, PER_BYTE, Key::decode) else { return };
    assert_eq!(key.encode().as_deref(), Ok(input), "a key has one encoding");
    assert_eq!(key.check(&FOUND).is_ok(), input == ORIGINAL, "exactly the original admits the statement");
    let _ = key.to_string();
}

fuzz_target!(|input: &[u8]| {
    check(input);
    check(&edited(ORIGINAL, input));
    // The first bytes need not be found by chance.
    check(&[&KEY_MAGIC, input].concat());
});
