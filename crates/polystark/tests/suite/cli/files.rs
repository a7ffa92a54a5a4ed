//! Files that are not what `prove` wrote.

use std::collections::BTreeMap;

use polystark::field::{Field, Goldilocks};
use polystark::goldilocks_proof::ProofFile as GoldilocksFile;

use super::common::{Proved, run, text};

fn code(proved: &Proved, bytes: &[u8]) -> i32 {
    run(["verify", text(&proved.sibling(bytes)), "--min-security-bits", "0"]).code
}

/// As [`code`], of a file with this transcript seed.
fn code_with_seed(proved: &Proved, bytes: &[u8], seed: &str) -> i32 {
    run(["verify", text(&proved.sibling(bytes)), "--min-security-bits", "0", "--expect-seed", seed]).code
}

#[test]
fn every_field_of_the_statement_counts() {
    let proved = Proved::small();
    let original = GoldilocksFile::decode(&proved.bytes()).unwrap();
    let changed = |change: fn(&mut GoldilocksFile)| {
        let mut statement = original.clone();
        change(&mut statement);
        assert_ne!(statement, original);
        code(&proved, &statement.encode().unwrap())
    };
    // Names that this program does not know at all are bad input.
    assert_eq!(changed(|s| s.protocol = "other".into()), 2);
    assert_eq!(changed(|s| s.extension_degree = 2), 2);
    assert_eq!(changed(|s| s.air = "other".into()), 2);
    // The rest is known, and wrong.
    let changes: &[fn(&mut GoldilocksFile)] = &[
        |s| s.air = "simple-fibonacci".into(),
        |s| s.parameters = BTreeMap::new(),
        |s| {
            s.parameters.insert("steps".into(), 21);
        },
        |s| {
            s.parameters.insert("steps".into(), 64);
        },
        |s| {
            s.parameters.insert("other".into(), 1);
        },
        |s| s.log_rows = 5,
        |s| s.log_rows = 7,
        |s| s.log_rows = 0,
        |s| s.options.blowup = 8,
        |s| s.options.blowup = 0,
        |s| s.options.queries = 49,
        |s| s.options.queries = u32::MAX,
        |s| s.options.grinding = 15,
        |s| s.options.grinding = 0,
        |s| s.options.coset_offset = 7,
        |s| s.options.coset_offset = 0,
        |s| s.options.suite = polystark::goldilocks_proof::Suite::Poseidon2,
        |s| s.seed = Some(Vec::new()),
        |s| s.public_inputs.push(Goldilocks::ONE),
        |s| s.proof.clear(),
        |s| s.proof[0] ^= 1,
        |s| {
            s.proof.pop();
        },
    ];
    for (number, change) in changes.iter().enumerate() {
        assert_eq!(changed(*change), 1, "change {number}");
    }
}

#[test]
fn public_inputs_must_be_those_of_the_statement() {
    let proved = Proved::new(
        "prove --air read-only-memory --rows 64 --queries 3 --grinding 0 --security claimed-0 --transcript-seed 00 \
         --format lambdaworks",
    );
    let mut statement = GoldilocksFile::decode(&proved.bytes()).unwrap();
    let code = |statement: &GoldilocksFile| code_with_seed(&proved, &statement.encode().unwrap(), "00");
    assert_eq!(code(&statement), 0);
    statement.public_inputs[1] += Goldilocks::ONE;
    assert_eq!(code(&statement), 1);
    statement.public_inputs.clear();
    assert_eq!(code(&statement), 1);
}

/// A file of a statement with the default seed written out would be a second one.
#[test]
fn the_default_seed_is_left_out() {
    let proved = Proved::small();
    let mut statement = GoldilocksFile::decode(&proved.bytes()).unwrap();
    let air = polystark::goldilocks::Request {
        parameters: statement.parameters.clone(),
        ..polystark::goldilocks::Request::new(statement.air.clone(), 1 << statement.log_rows)
    };
    let recorded = polystark::air::record(&*polystark::goldilocks::Airs::default().build(&air).unwrap().air).unwrap();
    let seed = polystark::goldilocks_verifier::transcript_seed(&recorded, &statement.options);
    statement.seed = Some(seed.to_vec());
    assert_eq!(code_with_seed(&proved, &statement.encode().unwrap(), &hex::encode(seed)), 1);
}

#[test]
fn flipped_bits_are_found_wherever_they_are() {
    let proved =
        Proved::new("prove --air simple-fibonacci --rows 8 --blowup 2 --queries 2 --grinding 0 --security claimed-0");
    let bytes = proved.bytes();
    assert_eq!(code(&proved, &bytes), 0);
    // A stride that is prime to the sizes of elements and digests.
    for at in (0..bytes.len()).step_by(23) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        assert_ne!(code(&proved, &changed), 0, "byte {at}");
        assert_ne!(code(&proved, &bytes[..at]), 0, "{at} bytes only");
    }
}

#[test]
fn an_existing_file_is_kept_if_there_is_no_proof() {
    let proved = Proved::small();
    let before = proved.bytes();
    let file = text(&proved.file);
    assert_eq!(run(["prove", "--air", "quadratic", "--rows", "64", "--queries", "0", "-o", file]).code, 2);
    assert_eq!(proved.bytes(), before);
    assert_eq!(run(["prove", "--air", "quadratic", "--rows", "64", "-o", file]).code, 0);
    assert_ne!(proved.bytes(), before);
    assert_eq!(std::fs::read_dir(proved.folder.path()).unwrap().count(), 1, "no temporary file is left");
}
