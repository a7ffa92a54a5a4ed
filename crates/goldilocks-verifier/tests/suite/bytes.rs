//! Encoded proofs with bytes changed: refused, and never a panic. Proofs of other lengths than the statement's: refused
//! as such.

use golden::slow_or_skip;
use goldilocks_proof::{Counts, Proof, decode, decode_exactly, encode};
use goldilocks_verifier::{Policy, Seed, VerifyError, counts, verify_bytes};
use gpu_hal::CosetProtocol;
use proof_format::{DecodeError, DecodeErrorKind};
use proptest::prelude::*;

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
    let bits = if slow_or_skip("six of eight bits of each byte") { 0..8 } else { 3..5 };
    every_byte(&case::<Cubic>("simple-fibonacci_n16_b4_q3_c3_g1"), |_| bits.clone().map(|bit| 1u8 << bit).collect());
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

/// No length but the vector's is taken, or that with another nonce: an integer of one to nine bytes.
fn only_its_length<P: CosetProtocol>(case: &Case<P>) {
    let counts = counts(&case.air.layout(), case.air.log_trace_length(), &case.options);
    let length = case.bytes.len();
    let lengths = match case.proof.nonce {
        None => length..=length,
        Some(0..=250) => length..=length + 8,
        Some(_) => length - 2..=length + 6,
    };
    for found in 0..2 * length {
        let is_taken = counts.check_length::<P>(found).is_ok();
        assert_eq!(is_taken, lengths.contains(&found), "{}: {found} bytes, the vector has {length}", case.name);
    }
    assert!(decode_exactly::<P>(&case.bytes, &counts).is_ok_and(|proof| proof == case.proof), "{}", case.name);
    let others = [
        Counts { log_rows: counts.log_rows + 1, ..counts },
        Counts { log_lde: counts.log_lde + 1, ..counts },
        Counts { main: counts.main + 1, ..counts },
        Counts { aux: counts.aux + 1, ..counts },
        Counts { frame_rows: counts.frame_rows + 1, ..counts },
        Counts { parts: counts.parts + 1, ..counts },
        Counts { queries: counts.queries + 1, ..counts },
        Counts { nonce: !counts.nonce, ..counts },
    ];
    for other in others {
        let error = decode_exactly::<P>(&case.bytes, &other).map(drop).expect_err("another statement's lengths");
        let is_length = matches!(error.kind, DecodeErrorKind::Length { found, .. } if found == length);
        assert!(error.offset == 0 && is_length, "{}, {other:?}: {error}", case.name);
    }
}

#[test]
fn the_statement_fixes_the_length() {
    cubic().for_each(|case| only_its_length(&case));
    only_its_length(&case::<Base>(BASE));
}

/// Moves something of a proof from one list to another.
type Trade = fn(&mut Proof<Cubic>);

/// Items go from one list to a later one of their kind, so that the bytes stay as many: the first list is found.
#[test]
fn the_statement_fixes_the_length_of_every_list() {
    let trades: [(&str, Trade); 8] = [
        ("out-of-domain values", |p| p.composition_ood.extend(p.trace_ood.data.pop())),
        ("composition out of domain", |p| p.deep_openings[0].composition.evaluations.extend(p.composition_ood.pop())),
        ("FRI roots", |p| p.deep_openings[0].main.path.extend(p.fri_roots.pop())),
        ("FRI paths", |p| {
            let digest = p.fri_decommitments[0].paths[0].pop();
            p.fri_decommitments[0].paths[1].extend(digest);
        }),
        ("FRI values", |p| {
            let value = p.fri_decommitments[0].values.pop();
            p.fri_decommitments[1].values.extend(value);
        }),
        ("main path", |p| {
            let main = &mut p.deep_openings[0].main;
            main.path_sym.extend(main.path.pop());
        }),
        ("main values", |p| {
            let main = &mut p.deep_openings[0].main;
            main.evaluations_sym.extend(main.evaluations.pop());
        }),
        ("auxiliary values", |p| {
            let aux = p.deep_openings[0].aux.as_mut().expect("auxiliary columns");
            aux.evaluations_sym.extend(aux.evaluations.pop());
        }),
    ];
    let case = case::<Cubic>(CUBIC[0]);
    for (what, trade) in trades {
        let mut proof = case.proof.clone();
        trade(&mut proof);
        let bytes = encode(&proof);
        assert_eq!(bytes.len(), case.bytes.len(), "{what}");
        assert!(decode::<Cubic>(&bytes).is_ok_and(|decoded| decoded == proof), "{what}: a proof of some statement");
        let verdict = verify_bytes(&case.air, &case.options, Seed::Given(&case.seed), &bytes, &Policy::ANY);
        let Err(VerifyError::Decode(DecodeError { kind: DecodeErrorKind::Count { expected, found }, .. })) = verdict
        else {
            panic!("{what}: {verdict:?}");
        };
        assert_eq!(found + 1, expected, "{what}");
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
