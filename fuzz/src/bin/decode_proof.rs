//! Decoding a proof: never panics, takes little memory, and accepts nothing but what encoding gives.
#![no_main]

use field::Goldilocks;
use gpu_hal::{CosetProtocol, GoldilocksStark};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::{P, bounded};

fn check<P: CosetProtocol>(input: &[u8]) {
    if let Ok(proof) = bounded(input, proof::decode::<P>) {
        assert_eq!(proof::encode(&proof), input, "a proof has one encoding");
    }
}

fuzz_target!(|input: &[u8]| {
    check::<P>(input);
    check::<GoldilocksStark<Goldilocks>>(input);
});
