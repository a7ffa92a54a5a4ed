//! Proofs and files of the Circle protocol: nothing panics, what is decoded has one encoding, and a changed proof is refused.
#![no_main]

use circle_air::Statement;
use circle_proof::{Policy, ProofFile, decode, encode, verify};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::edited;

/// Fibonacci numbers from 1 and 1 in 16 rows.
const ORIGINAL: &[u8] = include_bytes!("../../../vectors/circle/fibonacci_n4_b1_q3_f1_l0_p5.proof.bin");

fn check(bytes: &[u8], statement: &dyn Statement) {
    if let Ok(proof) = decode(bytes) {
        assert_eq!(encode(&proof), bytes, "a proof has one encoding");
    }
    let result = verify(statement, &[], bytes, &Policy::ANY);
    assert_eq!(result.is_ok(), bytes == ORIGINAL, "exactly the original is accepted: {result:?}");
}

fuzz_target!(|input: &[u8]| {
    let statement = circle_air::airs::build("fibonacci", 4, &[]).expect("the vector's AIR exists");
    check(input, &*statement);
    check(&edited(ORIGINAL, input), &*statement);
    if let Ok(file) = ProofFile::decode(input) {
        assert_eq!(file.encode().expect("what was decoded can be encoded"), input, "a file has one encoding");
    }
});
