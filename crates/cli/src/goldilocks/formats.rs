//! Commands on proofs of both formats.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use sdk::Registry;
use sdk::goldilocks::AnyOptions;
use sdk::goldilocks_proof::{AnyProofFile, Hiding};

use crate::arguments::parser::parse;
use crate::arguments::values::joined;
use crate::report::exit::{Code, Failure};
use crate::report::output::Output;

/// Runs a command line, with words after it.
fn run(line: &str, more: &[&str]) -> Result<(), Failure> {
    let words = ["polystark"].into_iter().chain(line.split(' ')).chain(more.iter().copied()).map(OsString::from);
    let (_, command) = parse(words).map_err(|error| Failure::usage(error.to_string()))?;
    command.run(&Arc::new(Registry::shipped()), &Output::new(true, false))
}

/// The file of a proof with these options.
fn prove(file: &Path, options: &str) -> Result<Vec<u8>, Failure> {
    let line = "prove --air fibonacci-rap --rows 256 --param steps=100 --backend cpu --threads 2";
    let path = file.to_str().expect("UTF-8");
    let words: Vec<&str> = options.split_whitespace().chain(["-o", path]).collect();
    run(line, &words).map(|()| fs::read(path).expect("it was written"))
}

#[test]
fn the_commands_take_both_formats() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("proof");
    let path = file.to_str().expect("UTF-8");
    let long = prove(&file, "--format lambdaworks").expect("a proof");
    let taken = |flag: &str| run("verify", &[path, "--expect-format", flag]).map_err(|failure| failure.code);
    assert_eq!((taken("lambdaworks"), taken("compact")), (Ok(()), Err(Code::Invalid)));
    let short = prove(&file, "").expect("a proof");
    assert!(short == prove(&file, "--format compact").expect("a proof"), "it is the default");
    assert_eq!((taken("compact"), taken("lambdaworks")), (Ok(()), Err(Code::Invalid)));
    assert!(short.len() * 5 < long.len() * 2, "{} {}", short.len(), long.len());
    for command in ["inspect", "security", "verify --expect-hash keccak256"] {
        run(command, &[path]).unwrap_or_else(|failure| panic!("{command}: {}", failure.message));
    }
    assert!(run("verify --expect-hash poseidon2", &[path]).is_err());

    // The same options by hand give the same file.
    let AnyOptions::Compact(options) = AnyProofFile::decode(&short).expect("a file").options else {
        panic!("it is compact")
    };
    let (blowup, queries) = (options.blowup, options.queries);
    let by_hand = format!(
        "--format compact --blowup {blowup} --queries {queries} --points {} --folds {} --work {}",
        options.points,
        joined(&options.folds),
        joined(&options.work)
    );
    assert!(prove(&file, &by_hand).expect("a proof") == short);
    // Another version is named, another byte proves nothing.
    for (at, byte, code, says) in
        [(8, 9, Code::Usage, "version 9"), (short.len() - 1, short[short.len() - 1] ^ 1, Code::Invalid, "not valid")]
    {
        let mut other = short.clone();
        other[at] = byte;
        fs::write(&file, other).expect("room");
        let refused = run("verify --min-security-bits 0", &[path]).expect_err("another file");
        assert!(refused.code == code && refused.message.contains(says), "{}", refused.message);
    }
}

/// The AIR leaves as many rows free as the options need, and the file says how many.
#[test]
fn a_proof_hides_its_witness_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("proof");
    let path = file.to_str().expect("UTF-8");
    let weak = "--format compact --zk --security claimed-0 --queries 4 --folds 1,3";
    let one = prove(&file, weak).expect("a proof");
    assert_eq!(run("verify --security claimed-0", &[path]).map_err(|failure| failure.message), Ok(()));
    for command in ["inspect", "security"] {
        run(command, &[path]).unwrap_or_else(|failure| panic!("{command}: {}", failure.message));
    }
    let other = prove(&file, weak).expect("a proof");
    assert_ne!(one, other, "its masks are of the system");
    let stated = AnyProofFile::decode(&one).expect("a file");
    // 4 queries of 2 rows, each of 1 + 2 parts of 3 rows, and the rows of the point.
    assert_eq!((stated.parameters["free"], stated.parameters["steps"]), (8 * 7 + 18, 100));
    let AnyOptions::Compact(options) = stated.options else { panic!("it is compact") };
    assert_eq!(options.hiding, Hiding::FreeRows);
    let plain = prove(&file, "--format compact").expect("a proof");
    assert!(!AnyProofFile::decode(&plain).expect("a file").parameters.contains_key("free"));

    for (options, says) in [
        ("--format lambdaworks --zk", "say --format compact"),
        (
            "--format compact --zk --security claimed-0 --queries 4 --folds 1,3 --param free=73",
            "74 rows at the end must be free",
        ),
        ("--format compact --zk", "rows at the end must be free for masks, this AIR leaves 155"),
    ] {
        let refused = prove(&file, options).expect_err("impossible");
        assert!(refused.code == Code::Usage && refused.message.contains(says), "{options}: {}", refused.message);
    }
    let line = "prove --air periodic --rows 64 --format compact --zk --security claimed-0 --queries 1 -o";
    let refused = run(line, &[path]).expect_err("no free rows");
    assert!(refused.message.contains("this AIR leaves 0"), "{}", refused.message);
    let refused = run("prove --air fibonacci --rows 64 --zk -o /dev/null", &[]).expect_err("circle");
    assert!(refused.message.contains("--zk does not exist for the circle protocol"), "{}", refused.message);
}

/// Free rows may take a composition part more, and that part more free rows.
#[test]
fn free_rows_are_counted_for_the_layout_that_they_lead_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("proof");
    let path = file.to_str().expect("UTF-8");
    for degree in [3, 4] {
        let line = format!(
            "prove --air wide --rows 128 --param width=3 --param degree={degree} --zk --security claimed-0 --queries 3 \
             --folds 1,3 --backend cpu --threads 2 -o"
        );
        run(&line, &[path]).unwrap_or_else(|failure| panic!("degree {degree}: {}", failure.message));
        run("verify --security claimed-0", &[path]).unwrap_or_else(|failure| panic!("{degree}: {}", failure.message));
        let stated = AnyProofFile::decode(&fs::read(path).expect("it was written")).expect("a file");
        // 3 queries of 2 rows, each of 1 + as many parts of 2 rows as the degree says, and the rows of the point.
        assert_eq!(stated.parameters["free"], 6 * (1 + 2 * degree) + 3 * 2 * degree);
    }
}

/// Where masks of the cheapest proof find no rows, a larger blowup takes fewer.
#[test]
fn a_short_trace_is_hidden_with_a_larger_blowup() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("proof");
    let path = file.to_str().expect("UTF-8");
    let line = "prove --air fibonacci-rap --rows 2048 --zk --backend cpu --threads 2";
    run(&format!("{line} -o"), &[path]).expect("a proof");
    run("verify", &[path]).expect("by default");
    let stated = AnyProofFile::decode(&fs::read(path).expect("it was written")).expect("a file");
    let free = stated.parameters["free"];
    assert_eq!((stated.options.blowup(), stated.parameters["steps"]), (4, 2047 - free));
    let refused = run(&format!("{line} --blowup 2 -o"), &[path]).expect_err("too few rows");
    let says = "rows at the end must be free for masks, this AIR leaves 2045";
    assert!(refused.code == Code::Usage && refused.message.contains(says), "{}", refused.message);
    // A blowup that is not possible has its refusal, and the others their figures.
    run("security --air fibonacci-rap --rows 2048 --zk --curve", &[]).expect("a table");
}

/// The shortest proofs and the fastest ones are others, in both formats, and verifiers take them by default.
#[test]
fn a_goal_chooses_blowup_and_folds() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("proof");
    let path = file.to_str().expect("UTF-8");
    for format in ["compact", "lambdaworks"] {
        let [cheap, small, fast] = [&[][..], &["--smallest"], &["--fastest"]].map(|goal| {
            let line = "prove --air quadratic --rows 4096 --backend cpu --threads 2 -o";
            run(line, &[&[path, "--format", format][..], goal].concat()).expect("a proof");
            run("verify", &[path]).expect("by default");
            let made = fs::read(path).expect("it was written");
            (AnyProofFile::decode(&made).expect("a file").options, made.len())
        });
        assert!(small.1 < cheap.1 && cheap.1 < fast.1, "{format}: {} {} {}", small.1, cheap.1, fast.1);
        assert!(small.0.blowup() > cheap.0.blowup() && fast.0.grinding() == 0, "{format}");
    }
    let fixed = prove(&file, "--smallest --blowup 4").expect("a proof");
    assert_eq!(AnyProofFile::decode(&fixed).expect("a file").options.blowup(), 4);
}

/// A key admits proofs of its statement with any options, and no other statement, format or protocol.
#[test]
fn a_key_admits_its_statement_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let key = |more: &str, name: &str| run(&format!("key --rows 256 {more} -o"), &[&at(name)]);
    key("--air fibonacci-rap --param steps=100", "key").expect("a key");
    key("--air fibonacci-rap --param steps=101", "other").expect("a key");
    key("--air fibonacci-rap --param steps=100 --format lambdaworks", "long").expect("a key");
    let file = folder.path().join("proof");
    let taken = |name: &str| run("verify --security claimed-0 --key", &[&at(name), &at("proof")]);
    for options in ["", "--blowup 8 --queries 9 --security claimed-0"] {
        prove(&file, options).expect("a proof");
        assert_eq!(taken("key").map_err(|failure| failure.message), Ok(()));
        for (name, says) in [("other", "the digest of the AIR is "), ("long", "the suite is keccak256-compact")] {
            let refused = taken(name).expect_err("another key");
            assert!(refused.code == Code::Invalid && refused.message.contains(says), "{}", refused.message);
        }
    }
    // Not a byte more, and no file of another kind.
    let bytes = fs::read(at("key")).expect("it was written");
    for other in [[&bytes[..], &[0]].concat(), bytes[..bytes.len() - 1].to_vec(), fs::read(&file).expect("a file")] {
        fs::write(at("wrong"), other).expect("room");
        assert!(taken("wrong").is_err_and(|refused| refused.code != Code::Invalid), "{}", at("wrong"));
    }
    let refused = run("verify", &[&at("key")]).expect_err("a key");
    assert!(refused.message.contains("takes proofs of it alone"), "{}", refused.message);
    let refused = key("--air fibonacci", "circle").expect_err("circle");
    assert!(refused.message.contains("has no key"), "{}", refused.message);
    let refused = key("--air fibonacci-rap --param steps=100 --hash poseidon2", "hash").expect_err("no such proofs");
    assert!(refused.message.contains("say --format lambdaworks"), "{}", refused.message);
}

#[test]
fn impossible_options_are_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("proof");
    for (options, says) in [
        ("--points 2 --format lambdaworks", "say --format compact"),
        ("--hash poseidon2", "no --hash poseidon2: say --format lambdaworks"),
        ("--transcript-seed 00", "takes no transcript seed"),
        ("--format compact --transcript-seed 00", "say --format lambdaworks"),
        ("--smallest --fastest", "cannot be used with"),
        ("--format compact --folds 3,0", "fold 1 by 2^0"),
        ("--format compact --folds 4,4,4", "2^12 rows, the trace has 2^8"),
        ("--format compact --work 1,2 --folds 3", "bits of work for 2 draws"),
        ("--format compact --blowup 3", "blowup 3 is not allowed"),
        ("--format short", "no format 'short'"),
    ] {
        let refused = prove(&file, options).expect_err("impossible");
        assert!(refused.code == Code::Usage && refused.message.contains(says), "{options}: {}", refused.message);
    }
    let refused = run("prove --air fibonacci --rows 64 --format compact -o /dev/null", &[]).expect_err("circle");
    assert!(refused.message.contains("--format does not exist for the circle protocol"), "{}", refused.message);
}
