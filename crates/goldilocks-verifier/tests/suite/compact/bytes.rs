//! Changed bytes, options and policies.

use air::airs::BitFlags;
use air::record;
use field::{Goldilocks, PrimeField};
use golden::backends::cpu;
use golden::goldilocks::Cubic;
use golden::goldilocks::compact::vectors;
use goldilocks_proof::OptionsError;
use goldilocks_proof::compact::{AirDigest, Options};
use goldilocks_verifier::compact::{security, sizes, verify_bytes};
use goldilocks_verifier::{Policy, PolicyError, SecurityKind, VerifyError};
use proof_format::{DecodeError, DecodeErrorKind};
use std::sync::Arc;

use super::{options, prove, rap, recorded, verify};

fn decoding(result: Result<goldilocks_verifier::Verified, VerifyError>) -> DecodeErrorKind {
    match result {
        Err(VerifyError::Decode(DecodeError { kind, .. })) => kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_proof_is_exactly_as_long_as_its_openings_are() {
    let air = recorded(&*rap(40));
    let bytes = prove(cpu(), rap(40), AirDigest::OfAir, &options());
    let sizes = sizes(&air.layout(), air.log_trace_length());
    let (least, most) = (sizes.head_length(&options()) as usize, sizes.most(&options()) as usize);
    assert!(least < bytes.len() && bytes.len() < most, "{least} {} {most}", bytes.len());
    for length in [0, least - 1] {
        assert!(matches!(decoding(verify(&air, &options(), &bytes[..length])), DecodeErrorKind::Length { .. }));
    }
    for length in [least, bytes.len() - 33, bytes.len() - 1] {
        assert!(matches!(decoding(verify(&air, &options(), &bytes[..length])), DecodeErrorKind::Truncated { .. }));
    }
    let longer = |length: usize| [&bytes[..], &vec![0; length - bytes.len()]].concat();
    for length in [bytes.len() + 1, most] {
        assert_eq!(decoding(verify(&air, &options(), &longer(length))), DecodeErrorKind::TrailingBytes);
    }
    let too_long = decoding(verify(&air, &options(), &longer(most + 1)));
    assert!(matches!(too_long, DecodeErrorKind::Length { .. }));
}

/// Zeros have a second name, p: in all that follows it would be the same proof.
#[test]
fn an_element_has_one_name() {
    // Zeros satisfy it.
    let air = BitFlags::new(64).expect("possible");
    let trace = air::Trace::from_columns(vec![
        vec![Goldilocks::default(); 64];
        record::<Cubic, _>(&air).expect("valid").layout().main_columns
    ]);
    let air: Arc<dyn air::ExampleAir<Cubic>> = Arc::new(air);
    let recorded = recorded(&*air);
    let options = Options { blowup: 8, work: vec![0; 8], ..options() };
    let prover = prover_core::goldilocks::Prover::new(Arc::new(cpu::<Cubic>()), air).expect("a sound AIR");
    let proof = prover.prove(&trace.expect("a table"), &options, AirDigest::OfAir, &prover_core::Silent);
    let bytes = goldilocks_proof::compact::encode(&proof.expect("zeros satisfy it"), &options);
    assert!(verify(&recorded, &options, &bytes).is_ok());
    let head = sizes(&recorded.layout(), 6).head_length(&options) as usize;
    // An out-of-domain value, a coefficient of the last layer, a row, and the last value that is sent.
    let last = (head..bytes.len() - 8).rev().find(|at| bytes[*at..at + 8] == [0; 8]).expect("zeros");
    for at in [2 * 32, head - 24, head, last] {
        let mut bytes = bytes.clone();
        assert_eq!(bytes[at..at + 8], [0; 8]);
        bytes[at..at + 8].copy_from_slice(&Goldilocks::ORDER.to_be_bytes());
        assert_eq!(decoding(verify(&recorded, &options, &bytes)), DecodeErrorKind::NotCanonical, "{at}");
    }
}

#[test]
fn no_byte_is_free() {
    for vector in vectors() {
        let air = recorded(&*vector.air());
        let digest = AirDigest::Given(&vector.digest);
        let bytes = vector.prove(&Arc::new(cpu::<Cubic>()));
        let verify = |bytes: &[u8]| {
            goldilocks_verifier::compact::verify_bytes_of(&air, digest, &vector.options, bytes, &Policy::ANY)
        };
        assert!(verify(&bytes).is_ok());
        for at in (0..bytes.len()).step_by(13) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(verify(&bytes).is_err(), "{}: byte {at}", vector.air);
        }
    }
}

#[test]
fn options_are_checked_and_bound() {
    let air = recorded(&*rap(40));
    let bytes = prove(cpu(), rap(40), AirDigest::OfAir, &options());
    let with = |change: &dyn Fn(&mut Options)| {
        let mut options = options();
        change(&mut options);
        verify(&air, &options, &bytes)
    };
    let refused = with(&|options| options.points = 3);
    assert_eq!(refused, Err(VerifyError::Options(OptionsError::Points(3))));
    // These have the same length up to the queries.
    assert!(with(&|options| options.coset_offset = 3).is_err());
    assert!(with(&|options| options.queries = 10).is_err());
    assert!(with(&|options| options.folds = vec![1, 2, 2]).is_err());
    assert!(with(&|options| options.work[3] = 5).is_err());
    assert!(verify(&recorded(&*rap(41)), &options(), &bytes).is_err());
}

#[test]
fn the_policy_is_asked() {
    let air = recorded(&*rap(40));
    let bytes = prove(cpu(), rap(40), AirDigest::OfAir, &options());
    let found = security(&air, &options()).claimed;
    // Nine queries of two bits, and six bits of work.
    assert_eq!(found.bits, 24);
    let asking = |bits| Policy { min_security_bits: bits, kind: SecurityKind::Claimed, ..Policy::default() };
    assert!(verify_bytes(&air, &options(), &bytes, &asking(24)).is_ok());
    let refused = PolicyError::Security { required: 25, kind: SecurityKind::Claimed, found };
    assert_eq!(verify_bytes(&air, &options(), &bytes, &asking(25)), Err(VerifyError::Policy(refused)));
    let short = Policy { max_bytes: bytes.len() as u64 - 1, ..Policy::ANY };
    let refused = PolicyError::Bytes { most: short.max_bytes };
    assert_eq!(verify_bytes(&air, &options(), &bytes, &short), Err(VerifyError::Policy(refused)));
}
