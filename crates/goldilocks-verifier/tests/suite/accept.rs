//! Proofs that must be accepted.

use goldilocks_verifier::{Policy, PolicyError, SecurityKind, Seed, VerifyError, verify, verify_bytes};

use crate::common::{BASE, Base, CUBIC, Cubic, case, cubic};

#[test]
fn every_vector_verifies() {
    for case in cubic() {
        let verified = case.verify(&case.proof).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(verified.trace_length, case.air.trace_length() as u64);
        assert_eq!(verified.queries, case.options.queries);
        let seed = Seed::Given(&case.seed);
        assert_eq!(verify_bytes(&case.air, &case.options, seed, &case.bytes, &Policy::ANY), Ok(verified));
    }
    let case = case::<Base>(BASE);
    assert!(case.verify(&case.proof).is_ok());
}

#[test]
fn a_proof_of_three_queries_needs_a_lower_policy() {
    let case = case::<Cubic>(CUBIC[0]);
    let with = |policy| verify(&case.air, &case.options, Seed::Given(&case.seed), &case.proof, &policy);
    let error = with(Policy::default()).expect_err("too few bits");
    let VerifyError::Policy(PolicyError::Security { required: 100, kind: SecurityKind::Provable, found }) = error
    else {
        panic!("{error}");
    };
    let security = with(Policy::ANY).expect("valid").security;
    assert_eq!(found, security.provable);
    // 3 queries at rate 1/4 and 1 bit of grinding.
    // Claimed: two bits a query.
    assert_eq!((security.claimed.bits, security.conjectured.bits), (7, 6));
    assert!(security.provable.bits < 6);
    for kind in SecurityKind::ALL {
        let security = with(Policy { kind, ..Policy::ANY }).expect("valid").security;
        let at_least = |min_security_bits| with(Policy { min_security_bits, kind, ..Policy::ANY });
        assert!(at_least(kind.of(&security).bits).is_ok(), "{kind}");
        assert!(at_least(kind.of(&security).bits + 1).is_err(), "{kind}");
    }
    // Refused before the bytes are looked at.
    let decoded = verify_bytes(&case.air, &case.options, Seed::Default, b"", &Policy::default());
    assert!(matches!(decoded, Err(VerifyError::Policy(PolicyError::Security { .. }))));
    // So are bytes that are too many.
    let short = Policy { max_bytes: case.bytes.len() as u64 - 1, ..Policy::ANY };
    let refused = verify_bytes(&case.air, &case.options, Seed::Given(&case.seed), &case.bytes, &short);
    assert_eq!(refused, Err(VerifyError::Policy(PolicyError::Bytes { most: short.max_bytes })));
}

#[test]
fn only_nonces_that_work() {
    // Another nonce that does the work draws other queries, so it passes that check and fails a later one.
    let case = case::<Cubic>(CUBIC[0]);
    let (mut work, mut later) = (0, 0);
    for nonce in 0..64 {
        let mut proof = case.proof.clone();
        proof.nonce = Some(nonce);
        match case.verify(&proof) {
            Ok(_) => assert_eq!(Some(nonce), case.proof.nonce),
            Err(VerifyError::ProofOfWork { nonce: refused, bits: 1 }) => {
                assert_eq!(refused, nonce);
                work += 1;
            }
            Err(VerifyError::LastValue { .. } | VerifyError::Path { .. }) => later += 1,
            Err(error) => panic!("nonce {nonce}: {error}"),
        }
    }
    assert!(work > 10 && later > 10, "{work} without work, {later} with it");
}

#[test]
fn duplicated_queries_are_checked_each() {
    // This vector draws one index twice; its two openings are equal, and both count.
    let case = case::<Cubic>("fibrap_fp3_n16_s15_b2_q5_c7_g0");
    let openings = &case.proof.deep_openings;
    let twice = (0..openings.len())
        .flat_map(|a| (0..a).map(move |b| (b, a)))
        .find(|&(a, b)| openings[a] == openings[b])
        .expect("a duplicated query");
    for query in [twice.0, twice.1] {
        let mut proof = case.proof.clone();
        let value = &mut proof.deep_openings[query].main.evaluations[0];
        *value = -*value;
        assert!(case.verify(&proof).is_err());
    }
}
