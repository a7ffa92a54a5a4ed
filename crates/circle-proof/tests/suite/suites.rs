//! Each suite of hash functions: its proofs are accepted as what they are, and as nothing else.

use std::sync::Arc;

use adversary::liar::circle::{Claimed, Honest, prove};
use circle_proof::codec::DecodeErrorKind;
use circle_proof::{CircleOptions, Policy, Suite, VerifyError, decode, encode, security, verify};
use golden::backends::reference;
use golden::circle::air;
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

/// A digest of 248 bits is worth four bits less.
#[test]
fn a_suite_is_worth_what_its_digests_are() {
    let air = air("fibonacci", 4, "a=1;b=1");
    let worth = |suite| {
        let options = CircleOptions { queries: 1000, suite, ..CircleOptions::default() };
        circle_proof::bound(&options).claimed.bits.min(security(&*air, &options).unwrap().claimed.bits)
    };
    assert!(worth(Suite::Blake2sM31) <= 124);
    assert!(worth(Suite::Blake2sM31) <= worth(Suite::Blake2s));
    assert_eq!(Suite::ALL.map(Suite::hash_bits), [128, 124]);
}

#[test]
fn names_are_read() {
    for suite in Suite::ALL {
        assert_eq!(suite.to_string().parse(), Ok(suite));
    }
    assert!("keccak256".parse::<Suite>().unwrap_err().contains("blake2s, blake2s_m31"));
}
