//! Proofs that hide their witness: what a verifier refuses.

use std::sync::Arc;

use air::RecordedAir;
use air::airs::{ExampleAir, FibonacciRap};
use golden::backends::cpu;
use golden::goldilocks::Cubic;
use goldilocks_proof::compact::{AirDigest, Options};
use goldilocks_proof::{Hiding, OptionsError};
use goldilocks_verifier::compact::{security, sizes, verify_bytes};
use goldilocks_verifier::{Part, Policy, VerifyError};
use proof_format::security::math::log2;
use proof_format::{DecodeError, DecodeErrorKind};

use super::{options, prove, recorded, verify};

/// Two queries of leaves of two rows, two points.
fn hidden() -> Options {
    Options { queries: 2, folds: vec![1, 2, 2], hiding: Hiding::FreeRows, ..options() }
}

/// 64 rows, of which so many are free.
fn rap(free: u64) -> Arc<dyn ExampleAir<Cubic>> {
    Arc::new(FibonacciRap::with_free(64, 10, free).expect("possible"))
}

/// The AIR with just as many free rows as the options need, and a proof.
fn proven(options: &Options) -> (RecordedAir<Cubic>, Vec<u8>) {
    let needed = options.masked_rows(&sizes(&rap(1).layout(), 6));
    let air = rap(needed as u64);
    let recorded = recorded(&*air);
    assert_eq!(recorded.free_rows() as u128, needed);
    (recorded, prove(cpu(), air, AirDigest::OfAir, options))
}

#[test]
fn the_budget_is_asked_for() {
    let (air, bytes) = proven(&hidden());
    assert_eq!(verify(&air, &hidden(), &bytes).map(|verified| verified.queries), Ok(2));
    let found = air.free_rows() as u64;
    // Each of them takes more rows than are free: a query more, larger leaves.
    let dear = [Options { queries: 3, ..hidden() }, Options { folds: vec![2, 1, 2], ..hidden() }];
    for options in dear {
        let needed = options.masked_rows(&sizes(&air.layout(), 6)) as u64;
        assert!(needed > found);
        let refused = VerifyError::Options(OptionsError::FreeRows { needed, found });
        assert_eq!(verify(&air, &options, &bytes), Err(refused));
    }
    let fewer = recorded(&*rap(found - 1));
    let refused = VerifyError::Options(OptionsError::FreeRows { needed: found, found: found - 1 });
    assert_eq!(verify(&fewer, &hidden(), &bytes), Err(refused));
    // One whose transitions go down to the last row has none.
    let whole = recorded(&FibonacciRap::new(64, 10).expect("possible"));
    let refused = verify(&whole, &hidden(), &bytes);
    assert!(matches!(refused, Err(VerifyError::Options(OptionsError::FreeRows { found: 0, .. }))), "{refused:?}");
}

/// The hiding is in the statement: a proof without it is no proof with it, and the other way round.
#[test]
fn hiding_is_bound() {
    let (air, bytes) = proven(&hidden());
    let open = Options { hiding: Hiding::None, ..hidden() };
    assert!(verify(&air, &open, &bytes).is_err());
    let of_open = prove(cpu(), rap(air.free_rows() as u64), AirDigest::OfAir, &open);
    assert!(verify(&air, &open, &of_open).is_ok());
    assert!(verify(&air, &hidden(), &of_open).is_err());
}

/// Salts are read by digests alone, and each of them by one: another, or none, is another leaf.
#[test]
fn salts_are_bytes_of_the_proof() {
    let (air, bytes) = proven(&hidden());
    let head = sizes(&air.layout(), 6).head_length(&hidden()) as usize;
    // The first row of the main tree: two elements and a salt; then the next row.
    for (at, part) in [(head + 16, Part::Main), (head + 24 + 16, Part::Main)] {
        let mut other = bytes.clone();
        other[at + 7] ^= 1;
        assert_eq!(verify(&air, &hidden(), &other), Err(VerifyError::Root { part }));
        let without = [&bytes[..at], &bytes[at + 8..]].concat();
        let refused = verify(&air, &hidden(), &without);
        let is_short = |kind: &DecodeErrorKind| matches!(kind, DecodeErrorKind::Truncated { .. });
        assert!(
            matches!(&refused, Err(VerifyError::Decode(DecodeError { kind, .. })) if is_short(kind)),
            "{refused:?}"
        );
    }
}

/// The word is one more of the words that are combined.
#[test]
fn a_word_more_is_combined() {
    let (air, _) = proven(&hidden());
    let open = Options { hiding: Hiding::None, ..hidden() };
    let rounds = |options: &Options| {
        goldilocks_verifier::rounds(&air, &options.clone().into())
            .expect("valid")
            .terms
            .iter()
            .map(|t| t.log_factor)
            .collect()
    };
    let (with, without): (Vec<f64>, Vec<f64>) = (rounds(&hidden()), rounds(&open));
    let differing: Vec<(f64, f64)> = with.into_iter().zip(without).filter(|(with, without)| with != without).collect();
    // Three columns at three rows and a second point, two parts: 14 terms, 13 powers.
    assert_eq!(differing, [(log2(14.0), log2(13.0))]);
    assert!(security(&air, &hidden()).provable.bits <= security(&air, &open).provable.bits);
    let any = verify_bytes(&air, &hidden(), &[], &Policy::ANY);
    assert!(matches!(any, Err(VerifyError::Decode(_))), "the options are possible");
}
