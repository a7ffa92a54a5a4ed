//! Verifying a changed proof: never panics, and accepts the original only.
#![no_main]

use goldilocks_proof::Seed;
use goldilocks_verifier::{Policy, verify_bytes};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::{OPTIONS, ORIGINAL, STATEMENT, edited};

fn check(bytes: &[u8]) {
    let result = verify_bytes(&STATEMENT, &OPTIONS, Seed::Given(&[]), bytes, &Policy::ANY);
    assert_eq!(result.is_ok(), bytes == ORIGINAL, "exactly the original is accepted: {result:?}");
}

fuzz_target!(|input: &[u8]| {
    check(input);
    check(&edited(ORIGINAL, input));
});
