//! Proofs that are as they should be.

use cairo::file::{Format, bincode, decode, encode};
use cairo::preprocessed::Variant;
use cairo::verify::{Expect, Mismatch, Policy, VerifyError};
use cairo_run::{BuiltinName, Felt252, named};
use circle_proof::Suite;

use super::files::{PROOFS, any, bytes, proof, vector, verify};

#[test]
fn proofs_of_the_reference_are_accepted() {
    for name in PROOFS {
        let verified = verify(proof(name)).unwrap();
        let vector = vector(name);
        let variant: Variant = serde_json::from_value(vector["preprocessed_variant"].clone()).unwrap();
        assert_eq!(verified.variant, variant, "{name}");
        let words = &vector["claim"]["public_data"]["public_memory"];
        assert_eq!(words["program"]["len"], verified.stated.program_words, "{name}");
        assert_eq!(words["output"]["len"], verified.stated.output.len(), "{name}");
        // Three queries at a bit each, five bits of work.
        assert_eq!(verified.security.claimed.bits, 8, "{name}");
    }
}

/// The hash in a proof is the hash of the program's file.
#[test]
fn programs_are_known_by_their_files() {
    for (name, file) in [
        ("cairo/fib_10.small", "cairo/programs/fib_10.json"),
        ("cairo1/hashes.small", "cairo1/programs/hashes.executable.json"),
    ] {
        let path = format!("{}/../../vectors/{file}", env!("CARGO_MANIFEST_DIR"));
        let named = named(&std::fs::read(path).unwrap()).unwrap();
        let stated = verify(proof(name)).unwrap().stated;
        assert_eq!(
            (stated.program_hash, stated.program_words, stated.builtins),
            (named.hash, named.words, named.builtins)
        );
    }
}

#[test]
fn what_is_not_expected_is_refused() {
    let name = "cairo1/hashes.small";
    let stated = verify(proof(name)).unwrap().stated;
    let all = Expect {
        program_hash: Some(stated.program_hash),
        output: Some(stated.output.clone()),
        builtins: Some(stated.builtins.clone()),
    };
    let with = |expect: Expect| match cairo::verify::verify(proof(name), &any(), &expect) {
        Ok(_) => None,
        Err(VerifyError::Expectation(mismatch)) => Some(mismatch),
        Err(error) => panic!("{error}"),
    };
    assert_eq!(with(all.clone()), None);
    let program = with(Expect { program_hash: Some(stated.program_hash + Felt252::ONE), ..all.clone() });
    assert!(matches!(program, Some(Mismatch::Program { .. })));
    let mut other = stated.output.clone();
    other[0] += Felt252::ONE;
    assert!(matches!(with(Expect { output: Some(other), ..all.clone() }), Some(Mismatch::Output { at: 0, .. })));
    let builtins = with(Expect { builtins: Some(vec![BuiltinName::Output]), ..all.clone() });
    assert!(matches!(builtins, Some(Mismatch::Builtins { .. })));
    assert!(matches!(with(Expect { builtins: None, ..all }), Some(Mismatch::BuiltinsNotExpected { .. })));
}

#[test]
fn the_default_policy_asks_for_more_queries() {
    let refused = cairo::verify::verify(proof("cairo/tiny.small"), &Policy::default(), &Expect::default()).unwrap_err();
    assert!(refused.is_policy(), "{refused}");
}

#[test]
fn every_format_holds_the_same_proof() {
    let expected = bytes("cairo/fib_10.small");
    for format in [Format::Binary, Format::ExtendedBinary, Format::Json, Format::Bincode] {
        let file = encode(&proof("cairo/fib_10.small"), format, Suite::Blake2s).unwrap();
        let (read, found) = decode(&file, u64::MAX, Suite::Blake2s).unwrap();
        assert_eq!((found, bincode(&read, Suite::Blake2s).unwrap()), (format, expected.clone()));
        verify(read).unwrap();
    }
    // An array of felts: the claim first, the salt last.
    let felts = encode(&proof("cairo/fib_10.small"), Format::CairoSerde, Suite::Blake2s).unwrap();
    let felts: Vec<String> = serde_json::from_slice(&felts).unwrap();
    assert_eq!(felts.last().map(String::as_str), Some("0x0"));
    assert!(felts.len() > expected.len() / 32, "{} felts", felts.len());
}
