//! Encoded proofs with bytes changed: refused, and never a panic.

use gpu_hal::CosetProtocol;
use proptest::prelude::*;
use verifier::{Policy, Seed, verify_bytes};

use crate::common::{BASE, Base, CUBIC, Case, Cubic, case, cubic};

fn accepted<P: CosetProtocol>(case: &Case<P>, bytes: &[u8]) -> bool {
    verify_bytes(&case.air, &case.options, Seed::Given(&case.seed), bytes, &Policy::ANY).is_ok()
}

fn every_byte<P: CosetProtocol>(case: &Case<P>, flips: impl Fn(usize) -> Vec<u8>) {
    assert!(accepted(case, &case.bytes), "{}", case.name);
    let mut bytes = case.bytes.clone();
    for at in 0..bytes.len() {
        for flip in flips(at) {
            bytes[at] ^= flip;
            assert!(!accepted(case, &bytes), "{}: byte {at} ^ {flip:#04x}", case.name);
            bytes[at] ^= flip;
        }
    }
}

#[test]
fn every_byte_of_every_vector() {
    // One bit of each byte, a different one from byte to byte.
    let one = |at: usize| vec![1u8 << (at * 5 % 8)];
    cubic().for_each(|case| every_byte(&case, one));
    every_byte(&case::<Base>(BASE), one);
}

#[test]
fn every_bit_of_a_proof() {
    every_byte(&case::<Cubic>("simple-fibonacci_n16_b4_q3_c3_g1"), |_| (0..8).map(|bit| 1u8 << bit).collect());
}

#[test]
fn every_truncation_and_something_more() {
    let case = case::<Cubic>(CUBIC[0]);
    for length in 0..case.bytes.len() {
        assert!(!accepted(&case, &case.bytes[..length]), "{length} bytes");
    }
    for more in 0..=255 {
        assert!(!accepted(&case, &[&case.bytes[..], &[more]].concat()));
    }
}

proptest! {
    #[test]
    fn pieces_of_a_proof_moved_about(name in proptest::sample::select(CUBIC.to_vec()), from: usize, to: usize, length in 1usize..200) {
        let case = case::<Cubic>(name);
        let mut bytes = case.bytes.clone();
        let length = length.min(bytes.len());
        let (from, to) = (from % (bytes.len() - length + 1), to % (bytes.len() - length + 1));
        bytes.copy_within(from..from + length, to);
        prop_assert_eq!(accepted(&case, &bytes), bytes == case.bytes);
    }

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        prop_assert!(!accepted(&case::<Cubic>(CUBIC[0]), &bytes));
    }
}
