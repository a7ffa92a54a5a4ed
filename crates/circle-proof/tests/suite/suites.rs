//! Each suite of hash functions: its proofs are accepted as what they are, and as nothing else.

use std::sync::Arc;

use adversary::liar::circle::{Claimed, Honest, prove};
use circle_proof::codec::DecodeErrorKind;
use circle_proof::{CircleOptions, Policy, Proof, Suite, VerifyError, decode, encode, rounds, security, verify};
use golden::backends::reference;
use golden::circle::air;
use gpu_hal::Digest;
use proof_format::security::{Bits, Limit};
use prover_core::Silent;
use prover_core::circle::Prover;

/// Every kind of statement: without lookups, with them, of components of two sizes, lifted; layers that fold more than
/// once.
#[test]
fn a_proof_is_of_its_suite() {
    let backend = Arc::new(reference());
    let cases = [
        ("fibonacci", 4, "a=3;b=5", None, 1),
        ("wide-fibonacci", 4, "w=7;s=9", None, 2),
        ("plonk", 4, "v0=2;v1=3", Some(7), 3),
        ("range-squares", 5, "table=4;s=1", Some(6), 1),
    ];
    for (name, log_rows, params, lifting, fold_step) in cases {
        let air = air(name, log_rows, params);
        let made = Suite::ALL.map(|suite| {
            let options = CircleOptions { lifting, fold_step, suite, ..golden::circle::options() };
            let prover = Prover::new(backend.clone(), air.clone(), &options).unwrap();
            let made = prover.prove(&air.trace(), &Silent).unwrap();
            // Another prover, which has its own trees, makes the same bytes.
            let other = prove(&Claimed { statement: &*air, options }, &air.trace(), &mut Honest);
            let bytes = encode(&made.proof);
            assert!(encode(&other.proof) == bytes, "{name}, {suite}");
            (made.claimed_sums, bytes)
        });
        for (made, suite) in made.iter().zip(Suite::ALL) {
            for asked in Suite::ALL {
                let policy = Policy { suite: asked, ..Policy::ANY };
                let result = verify(&*air, &made.0, &made.1, &policy);
                assert_eq!(result.is_ok(), asked == suite, "{name}, {suite}, asked for {asked}: {result:?}");
            }
        }
    }
}

#[test]
fn digests_of_a_suite_are_told_from_other_bytes() {
    let air = air("plonk", 4, "v0=2;v1=3");
    let options = CircleOptions { suite: Suite::Blake2sM31, ..golden::circle::options() };
    let mut forged = prove(&Claimed { statement: &*air, options }, &air.trace(), &mut Honest);
    forged.proof.commitments[1][..4].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
    let bytes = encode(&forged.proof);
    assert_eq!(decode(&bytes, Suite::Blake2sM31).unwrap_err().kind, DecodeErrorKind::Digest);
    assert!(decode(&bytes, Suite::Blake2s).is_ok());
    let policy = Policy { suite: Suite::Blake2sM31, ..Policy::ANY };
    let refused = verify(&*air, &forged.sums, &bytes, &policy).unwrap_err();
    assert!(matches!(refused, VerifyError::Decode(_)), "{refused}");
}

/// A digest has no second name: words that are one number mod `2^31 - 1` are told apart, wherever in a proof they are.
#[test]
fn a_digest_has_one_name() {
    let air = air("plonk", 4, "v0=2;v1=3");
    let options = CircleOptions { suite: Suite::Blake2sM31, ..golden::circle::options() };
    let forged = prove(&Claimed { statement: &*air, options }, &air.trace(), &mut Honest);
    let policy = Policy { suite: Suite::Blake2sM31, ..Policy::ANY };
    assert!(verify(&*air, &forged.sums, &encode(&forged.proof), &policy).is_ok());
    let places: [fn(&mut Proof) -> &mut Digest; 6] = [
        |proof| &mut proof.commitments[0],
        |proof| &mut proof.commitments[3],
        |proof| &mut proof.decommitments[2][0],
        |proof| &mut proof.fri_proof.first_layer.commitment,
        |proof| &mut proof.fri_proof.first_layer.decommitment[0],
        |proof| &mut proof.fri_proof.inner_layers[0].commitment,
    ];
    for (number, place) in places.into_iter().enumerate() {
        for word in 0..8 {
            let mut changed = forged.proof.clone();
            let word = &mut place(&mut changed).as_chunks_mut::<4>().0[word];
            *word = (u32::from_le_bytes(*word) + 0x7FFF_FFFF).to_le_bytes();
            match verify(&*air, &forged.sums, &encode(&changed), &policy) {
                Err(VerifyError::Decode(error)) => assert_eq!(error.kind, DecodeErrorKind::Digest, "place {number}"),
                other => panic!("place {number}: {other:?}"),
            }
        }
    }
}

#[test]
fn every_byte_counts() {
    let statements = [("fibonacci", "a=3;b=5"), ("plonk", "v0=2;v1=3")];
    for ((name, params), suite) in statements.into_iter().zip([Suite::Poseidon252, Suite::Blake2sM31]) {
        let air = air(name, 4, params);
        let options = CircleOptions { suite, ..golden::circle::options() };
        let forged = prove(&Claimed { statement: &*air, options }, &air.trace(), &mut Honest);
        let (bytes, policy) = (encode(&forged.proof), Policy { suite, ..Policy::ANY });
        for index in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[index] ^= 1 << (index % 8);
            assert!(verify(&*air, &forged.sums, &changed, &policy).is_err(), "{name}, byte {index}");
            assert!(verify(&*air, &forged.sums, &bytes[..index], &policy).is_err(), "{name}, length {index}");
        }
    }
}

/// Digests of 248 and of 251 bits are worth less. The field leaves a statement fewer, so that its rounds show it.
#[test]
fn a_suite_is_worth_what_its_digests_are() {
    let air = air("fibonacci", 4, "a=1;b=1");
    for (suite, bits) in Suite::ALL.into_iter().zip([128, 124, 125]) {
        let options = CircleOptions { queries: 1000, suite, ..CircleOptions::default() };
        assert_eq!(circle_proof::bound(&options).claimed, Bits { bits, limit: Limit::Hash });
        assert_eq!(rounds(&*air, &options).unwrap().hash_bits, bits);
    }
}

/// Counts the words of 32 bits that reduce to one with this many trailing zeros. Fewer zeros are still closer to what
/// they say.
#[test]
fn a_suite_is_worth_the_work_that_its_nonces_take() {
    let p = (1_u64 << 31) - 1;
    for zeros in 12..=32_u32 {
        let of_remainder = |word: u64| (word..1 << 32).step_by(p as usize).count();
        let words: usize = (0..p).step_by(1 << zeros).map(of_remainder).sum();
        let taken = 32.0 - (words as f64).log2();
        assert_eq!(f64::from(Suite::Blake2sM31.work_bits(zeros)), taken.round(), "{zeros} zeros: {taken}");
        assert_eq!(Suite::Blake2s.work_bits(zeros), zeros);
        assert_eq!(Suite::Poseidon252.work_bits(zeros), zeros);
    }
    let air = air("fibonacci", 4, "a=1;b=1");
    let claimed = |pow_bits, suite| {
        let options = CircleOptions { pow_bits, queries: 30, log_blowup: 1, suite, ..CircleOptions::default() };
        let found = security(&*air, &options).unwrap().claimed.bits;
        assert_eq!(circle_proof::bound(&options).claimed.bits, found);
        found
    };
    assert_eq!([26, 30, 31, 32].map(|bits| claimed(bits, Suite::Blake2s)), [56, 60, 61, 62]);
    assert_eq!([26, 30, 31, 32].map(|bits| claimed(bits, Suite::Blake2sM31)), [56, 60, 60, 60]);
}

#[test]
fn names_are_read() {
    for suite in Suite::ALL {
        assert_eq!(suite.to_string().parse(), Ok(suite));
    }
    assert!("keccak256".parse::<Suite>().unwrap_err().contains("blake2s, blake2s_m31, poseidon252"));
}
