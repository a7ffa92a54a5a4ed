//! Proofs and files of the Circle protocol: nothing panics, a decoded value has one encoding, and a changed proof is
//! refused.
#![no_main]

use std::sync::Arc;
use std::sync::LazyLock;

use circle_air::airs::{ShippedAir, build, stated};
use circle_proof::{Policy, ProofFile, Suite, decode, encode, verify};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::edited;

/// Fibonacci numbers from 1 and 1 in 16 rows.
const ORIGINAL: &[u8] = include_bytes!("../../../vectors/circle/fibonacci_n4_b1_q3_f1_l0_p5.proof.bin");

static STATEMENT: LazyLock<Arc<dyn ShippedAir>> =
    LazyLock::new(|| build("fibonacci", 4, &[]).expect("the vector's AIR exists"));

fn check(bytes: &[u8]) {
    if let Ok(proof) = decode(bytes, Suite::default()) {
        assert_eq!(encode(&proof), bytes, "a proof has one encoding");
    }
    let result = verify(&**STATEMENT, &[], bytes, &Policy::ANY);
    assert_eq!(result.is_ok(), bytes == ORIGINAL, "exactly the original is accepted: {result:?}");
}

fuzz_target!(|input: &[u8]| {
    check(input);
    check(&edited(ORIGINAL, input));
    if let Ok(file) = ProofFile::decode(input) {
        // This takes no time by the sizes that it names.
        if let Ok(statement) = stated(&file.air, file.log_rows, &file.parameters, &file.words) {
            assert_eq!(statement.words(), file.words, "the statement is the file's");
            let policy = Policy { min_security_bits: 0, suite: file.suite, ..Policy::default() };
            let _ = verify(&*statement, &file.claimed_sums, &file.proof, &policy);
        }
        assert_eq!(file.encode().expect("what was decoded can be encoded"), input, "a file has one encoding");
    }
});
