//! Keys of statements: their bytes, and what is not of them.

use air::airs::{ExampleAir, FibonacciRap, SimpleFibonacci};
use air::record;
use golden::goldilocks::Cubic;
use goldilocks_proof::Suite;
use goldilocks_verifier::Key;
use proof_format::DecodeErrorKind;

fn key(air: &dyn ExampleAir<Cubic>, suite: Suite) -> Key {
    Key::of(&record(air).expect("a sound AIR"), suite.name())
}

fn rap(rows: u64, steps: u64) -> Key {
    key(&FibonacciRap::new(rows, steps).expect("possible"), Suite::Keccak256)
}

#[test]
fn a_key_has_one_file() {
    let key = rap(64, 40);
    let bytes = key.encode().expect("short names");
    assert_eq!(Key::decode(&bytes), Ok(key.clone()));
    for length in 0..bytes.len() {
        assert!(Key::decode(&bytes[..length]).is_err(), "{length}");
    }
    let unknown = Key { suite: "blake2s".to_owned(), ..key.clone() }.encode().expect("a name");
    assert!(matches!(Key::decode(&unknown).expect_err("no suite").kind, DecodeErrorKind::Suite(_)));
    let more = Key::decode(&[&bytes[..], &[0]].concat()).expect_err("more");
    assert_eq!(more.kind, DecodeErrorKind::TrailingBytes);
    // No byte can be another one without being another key, or none.
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            if let Ok(found) = Key::decode(&other) {
                assert!(found != key && found.encode().as_ref() == Ok(&other) && key.check(&found).is_err(), "{at}");
            }
        }
    }
}

#[test]
fn another_statement_is_named() {
    let trusted = rap(64, 40);
    assert_eq!(trusted.check(&rap(64, 40)), Ok(()));
    let other_name = key(&SimpleFibonacci::new(64).expect("possible"), Suite::Keccak256);
    let other_suite = key(&FibonacciRap::new(64, 40).expect("possible"), Suite::Poseidon2);
    let other_shape = Key { layout: other_name.layout, ..trusted.clone() };
    for (found, what) in [
        (rap(64, 41), "the digest of the AIR"),
        (rap(128, 40), "the number of rows"),
        (other_name, "the AIR"),
        (other_suite, "the suite"),
        (other_shape, "the layout"),
        (Key { protocol: "circle".to_owned(), ..trusted.clone() }, "the protocol"),
        (Key { extension_degree: 1, ..trusted.clone() }, "the degree of the extension"),
    ] {
        assert_eq!(trusted.check(&found).expect_err("another").what, what);
        assert_eq!(found.check(&trusted).expect_err("another").what, what);
    }
}
