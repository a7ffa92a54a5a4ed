//! Decoding a proof: never panics, takes little memory, and accepts only encodings.
#![no_main]

use field::Goldilocks;
use gpu_hal::{CosetProtocol, GoldilocksStark};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::{OPTIONS, ORIGINAL, P, PER_BYTE, STATEMENT, bounded, edited};

fn check<P: CosetProtocol>(input: &[u8]) {
    if let Ok(proof) = bounded(input, PER_BYTE, goldilocks_proof::decode::<P>) {
        assert_eq!(goldilocks_proof::encode(&proof), input, "a proof has one encoding");
    }
}

/// Where the statement fixes all lengths no list is empty, so that twice the input is enough.
fn check_exactly(input: &[u8]) {
    let counts = goldilocks_verifier::counts(&STATEMENT.layout(), STATEMENT.log_trace_length(), &OPTIONS);
    if let Ok(proof) = bounded(input, 2, |input| goldilocks_proof::decode_exactly::<P>(input, &counts)) {
        assert_eq!(goldilocks_proof::encode(&proof), input, "a proof has one encoding");
    }
}

fuzz_target!(|input: &[u8]| {
    check_exactly(input);
    check_exactly(&edited(ORIGINAL, input));
    check::<P>(input);
    check::<GoldilocksStark<Goldilocks>>(input);
});
