//! Decoding a statement file of either format: never panics, takes little memory, and accepts only encodings.
#![no_main]

use goldilocks_proof::AnyProofFile;
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::{PER_BYTE, bounded};
use proof_format::file::MAGIC;

fn check(input: &[u8]) {
    if let Ok(statement) = bounded(input, PER_BYTE, AnyProofFile::decode) {
        let encoded = statement.encode().expect("what was decoded can be encoded");
        assert_eq!(encoded, input, "a statement has one encoding");
    }
}

fuzz_target!(|input: &[u8]| {
    check(input);
    // The first bytes need not be found by chance.
    check(&[&MAGIC, input].concat());
});
