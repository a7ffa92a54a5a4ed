//! The file of a statement.

use std::collections::BTreeMap;

use field::{Goldilocks, PrimeField};
use goldilocks_proof::compact::Options;
use goldilocks_proof::{AnyOptions, AnyProofFile, Hiding, ProofFile, ProofFileOf, Suite, lambdaworks};
use proof_format::file::{MAGIC, MAX_VALUES, is_name};
use proof_format::{DecodeError, DecodeErrorKind};
use proptest::prelude::*;

fn example() -> ProofFile {
    ProofFile {
        protocol: "goldilocks".into(),
        extension_degree: 3,
        air: "fibonacci-rap".into(),
        parameters: BTreeMap::from([("degree".into(), 2), ("steps".into(), 300)]),
        log_rows: 10,
        options: lambdaworks::Options { queries: 41, ..lambdaworks::Options::default() },
        seed: Some(vec![1, 2, 3]),
        public_inputs: vec![Goldilocks::new(1), Goldilocks::new(Goldilocks::ORDER - 1)],
        proof: vec![9; 300],
    }
}

#[test]
fn the_layout() {
    let mut expected = MAGIC.to_vec();
    expected.push(1);
    expected.extend(b"\x0agoldilocks\x03\x0dfibonacci-rap\x02\x06degree\x02\x05steps\xfb\x2c\x01");
    expected.extend(b"\x0a\x09keccak256\x04\x29\x14\x03\x01\x03\x01\x02\x03");
    expected.extend([2, 8, 0, 0, 0, 0, 0, 0, 0, 1, 8]);
    expected.extend((Goldilocks::ORDER - 1).to_be_bytes());
    expected.extend([0xFB, 0x2C, 0x01]);
    expected.extend([9; 300]);
    assert_eq!(example().encode().expect("encodable"), expected);
    assert!(expected.starts_with(&MAGIC));
    assert_eq!(ProofFile::decode(&expected), Ok(example()));
}

#[test]
fn every_truncation_and_every_single_byte() {
    let bytes = example().encode().expect("encodable");
    for length in 0..bytes.len() {
        assert!(ProofFile::decode(&bytes[..length]).is_err(), "{length} bytes");
    }
    assert!(ProofFile::decode(&[&bytes[..], &[0]].concat()).is_err());
    for at in 0..bytes.len() {
        for to in 0..=255u8 {
            let mut changed = bytes.clone();
            changed[at] = to;
            match ProofFile::decode(&changed) {
                Ok(statement) => assert_eq!(statement.encode().expect("encodable"), changed),
                Err(error) => assert!(error.offset <= changed.len(), "{error}"),
            }
        }
    }
}

fn error(change: impl FnOnce(&mut Vec<u8>)) -> DecodeError {
    let mut bytes = example().encode().expect("encodable");
    change(&mut bytes);
    ProofFile::decode(&bytes).expect_err("refused")
}

#[test]
fn errors_say_what_is_wrong() {
    assert_eq!(error(|b| b[0] = b'P').kind, DecodeErrorKind::Magic);
    assert_eq!(ProofFile::decode(b"").expect_err("refused").kind, DecodeErrorKind::Magic);
    assert_eq!(error(|b| b[8] = 2), DecodeError { offset: 8, kind: DecodeErrorKind::Version(2) });
    // A space, an escape, a byte above ASCII in the name of the protocol.
    for byte in [b' ', 0x1B, 0xFF] {
        assert_eq!(error(|b| b[10] = byte), DecodeError { offset: 9, kind: DecodeErrorKind::Name });
    }
    // The first parameter's name: at offset 36 is its length, then `degree`, which must come before `steps`.
    assert_eq!(error(|b| b[37] = b'z'), DecodeError { offset: 44, kind: DecodeErrorKind::Order });
    let same = ProofFile { parameters: BTreeMap::from([("a".into(), 1), ("b".into(), 2)]), ..example() };
    let mut bytes = same.encode().expect("encodable");
    assert_eq!(&bytes[36..42], b"\x01a\x01\x01b\x02");
    bytes[40] = b'a';
    assert_eq!(ProofFile::decode(&bytes).expect_err("refused").kind, DecodeErrorKind::Order);
}

#[test]
fn a_coset_offset_has_one_name() {
    // After the hash function, blowup, queries and grinding, one byte for the offset 3: it becomes p, then p + 3.
    for offset in [Goldilocks::ORDER, Goldilocks::ORDER + 3] {
        let mut bytes = example().encode().expect("encodable");
        let at = bytes.windows(4).position(|bytes| bytes == [4, 0x29, 0x14, 3]).expect("the options") + 3;
        bytes.splice(at..=at, [&[0xFD][..], &offset.to_le_bytes()].concat());
        let error = DecodeError { offset: at, kind: DecodeErrorKind::NotCanonical };
        assert_eq!(ProofFile::decode(&bytes), Err(error.clone()));
        let options = lambdaworks::Options { coset_offset: offset, ..lambdaworks::Options::default() };
        assert_eq!(ProofFile { options, ..example() }.encode(), Err(error));
    }
}

/// The default word is the one that files have always had, and each suite has one.
#[test]
fn a_suite_is_named_or_refused() {
    for suite in Suite::ALL {
        let options = lambdaworks::Options { suite, ..example().options };
        let statement = ProofFile { options, ..example() };
        assert_eq!(ProofFile::decode(&statement.encode().expect("encodable")), Ok(statement));
    }
    let bytes = example().encode().expect("encodable");
    let at = bytes.windows(9).position(|bytes| bytes == b"keccak256").expect("the suite");
    for word in ["keccak255", "blake2s_m31", "keccak256-compact", "none"] {
        let mut bytes = bytes.clone();
        bytes.splice(at - 1..at + 9, [&[word.len() as u8], word.as_bytes()].concat());
        let error = DecodeError { offset: at - 1, kind: DecodeErrorKind::Suite(word.to_owned()) };
        assert!(error.to_string().contains(&format!("`{word}`")), "{error}");
        assert_eq!(ProofFile::decode(&bytes), Err(error));
    }
}

#[test]
fn parameters_are_few() {
    let with = |count: u64| ProofFile { parameters: (0..count).map(|i| (format!("p{i}"), i)).collect(), ..example() };
    let most = with(64);
    assert_eq!(ProofFile::decode(&most.encode().expect("encodable")), Ok(most));
    assert_eq!(with(65).encode().expect_err("too many").kind, DecodeErrorKind::Range(65));
    let mut bytes = example().encode().expect("encodable");
    assert_eq!(bytes[35], 2);
    bytes[35] = 65;
    assert_eq!(ProofFile::decode(&bytes), Err(DecodeError { offset: 35, kind: DecodeErrorKind::Range(65) }));
}

/// A statement that would be unreadable is not written.
#[test]
fn what_is_written_can_be_read() {
    let kind = |change: &dyn Fn(&mut ProofFile)| {
        let mut statement = example();
        change(&mut statement);
        statement.encode().map_err(|error| error.kind)
    };
    let most = MAX_VALUES;
    assert_eq!(kind(&|s| s.protocol = "a b".into()), Err(DecodeErrorKind::Name));
    let too_many = Err(DecodeErrorKind::Range(most as u64 + 1));
    assert_eq!(kind(&|s| s.seed = Some(vec![0; most + 1])), too_many);
    assert_eq!(kind(&|s| s.public_inputs = vec![Goldilocks::new(1); most + 1]), too_many);
    let seed = Some(vec![0; most]);
    let options = lambdaworks::Options { coset_offset: Goldilocks::ORDER - 1, ..lambdaworks::Options::default() };
    let statement = ProofFile { seed, options, ..example() };
    let bytes = statement.encode().expect("at the limit");
    assert_eq!(ProofFile::decode(&bytes), Ok(statement));
}

#[test]
fn names() {
    for name in ["a", "fibonacci-2-columns", "A_b.9", &"x".repeat(64)] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", " ", "a b", "a/b", "é", "a\n", &"x".repeat(65)] {
        assert!(!is_name(name), "{name:?}");
        let statement = ProofFile { air: name.into(), ..example() };
        assert_eq!(statement.encode().expect_err("refused").kind, DecodeErrorKind::Name);
    }
    let statement = ProofFile { log_rows: 33, ..example() };
    assert_eq!(statement.encode().expect_err("refused").kind, DecodeErrorKind::Range(33));
}

prop_compose! {
    fn any_options()(
        blowup: u32, queries: u32, grinding: u32, coset_offset in 0..Goldilocks::ORDER,
        suite in proptest::sample::select(vec![Suite::Keccak256, Suite::Poseidon2]),
    ) -> lambdaworks::Options {
        lambdaworks::Options { blowup, queries, grinding, coset_offset, suite }
    }
}

prop_compose! {
    fn any_statement()(
        names in ["[a-zA-Z0-9._-]{1,64}", "[a-zA-Z0-9._-]{1,64}"],
        extension_degree: u64,
        parameters in proptest::collection::btree_map("[a-z]{1,9}", any::<u64>(), 0..5),
        log_rows in 0u32..=32,
        options in any_options(),
        seed: Option<Vec<u8>>,
        public_inputs in proptest::collection::vec(any::<u64>().prop_map(Goldilocks::new), 0..6),
        proof: Vec<u8>,
    ) -> ProofFile {
        let [protocol, air] = names;
        ProofFile { protocol, extension_degree, air, parameters, log_rows, options, seed, public_inputs, proof }
    }
}

proptest! {
    #[test]
    fn round_trip(statement in any_statement()) {
        let bytes = statement.encode().expect("encodable");
        prop_assert_eq!(ProofFile::decode(&bytes), Ok(statement));
    }

    #[test]
    fn random_bytes_do_not_panic(bytes: Vec<u8>) {
        let _ = ProofFile::decode(&bytes);
        let with_magic = [&MAGIC[..], &[1], &bytes].concat();
        if let Ok(statement) = ProofFile::decode(&with_magic) {
            prop_assert_eq!(statement.encode().expect("encodable"), with_magic);
        }
    }
}

/// A file of the compact format; fields in the order of section 8.
#[test]
fn the_layout_of_the_compact_format() {
    let options = crate::compact::options();
    let ProofFile { protocol, extension_degree, air, parameters, public_inputs, .. } = example();
    let statement = AnyProofFile {
        protocol,
        extension_degree,
        air,
        parameters,
        log_rows: 6,
        options: options.clone().into(),
        seed: None,
        public_inputs,
        proof: vec![9; 3],
    };
    let mut expected = MAGIC.to_vec();
    expected.push(1);
    expected.extend(b"\x0agoldilocks\x03\x0dfibonacci-rap\x02\x06degree\x02\x05steps\xfb\x2c\x01");
    expected.extend(b"\x06\x11keccak256-compact\x04\x05\x03\x01\x02\x03\x02\x01\x07\x01\x02\x03\x00\x04\x01\x05");
    let hiding = expected.len();
    expected.extend([0, 0, 2, 8, 0, 0, 0, 0, 0, 0, 0, 1, 8]);
    expected.extend((Goldilocks::ORDER - 1).to_be_bytes());
    expected.extend([3, 9, 9, 9]);
    assert_eq!(statement.encode().expect("encodable"), expected);
    assert_eq!(AnyProofFile::decode(&expected), Ok(statement.clone()));
    let only = ProofFileOf::<Options>::decode(&expected).expect("a file");
    assert_eq!((only.options, only.proof), (options.clone(), vec![9; 3]));

    // A program that does not know the suite names it.
    let unknown = DecodeErrorKind::Suite("keccak256-compact".into());
    assert_eq!(ProofFile::decode(&expected).expect_err("another format").kind, unknown);
    let with = |at: usize, byte: u8| {
        let mut bytes = expected.clone();
        bytes[at] = byte;
        AnyProofFile::decode(&bytes).expect_err("changed").kind
    };
    assert_eq!(with(hiding, 2), DecodeErrorKind::Range(2));
    let mut hides = expected.clone();
    hides[hiding] = 1;
    let AnyOptions::Compact(of_file) = AnyProofFile::decode(&hides).expect("a file").options else {
        panic!("it is compact")
    };
    assert_eq!(of_file, Options { hiding: Hiding::FreeRows, ..options });
    let seeded = [&expected[..=hiding], &[1, 0], &expected[hiding + 2..]].concat();
    assert_eq!(AnyProofFile::decode(&seeded).expect_err("a seed").kind, DecodeErrorKind::NotNone);
    let seeded = AnyProofFile { seed: Some(vec![]), ..statement.clone() };
    assert_eq!(seeded.encode().expect_err("a seed").kind, DecodeErrorKind::NotNone);
    for length in 0..expected.len() {
        assert!(AnyProofFile::decode(&expected[..length]).is_err(), "{length} bytes");
    }

    // Files of the other format are what they were.
    let bytes = example().encode().expect("encodable");
    let any = AnyProofFile::decode(&bytes).expect("a file");
    assert_eq!((&any.options, &any.seed), (&example().options.into(), &example().seed));
    assert_eq!(any.encode().expect("encodable"), bytes);
}
