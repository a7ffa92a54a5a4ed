//! The command line with an AIR of one's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use polystark::{Class, Error, Goldilocks3, ProofSystem, circle_proof, hal, verify_file};

fn own(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_own-statements")).args(arguments).output().expect("it was built")
}

/// The output of a call that succeeds.
fn written(arguments: &[&str]) -> String {
    let output = own(arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The exit code and the message of a call that fails.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = own(arguments);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of this repository")
}

/// A proof of 64 rows.
fn proven(protocol: &str, file: &str, seed: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let statement = ["prove", "--protocol", protocol, "--air", "savings", "--rows", "64", "--param", seed];
    written(&[&statement[..], &["--backend", "cpu", "-o", text(&file)]].concat());
    file
}

/// The error of a program without the AIR on its file.
fn stock<F: ProofSystem>(file: &Path) -> Error {
    let bytes = std::fs::read(file).expect("it was written");
    verify_file::<F>(&bytes, &F::Policy::default(), &Default::default()).expect_err("nobody knows this AIR")
}

#[test]
fn files_of_both_protocols_are_verified_here_and_refused_elsewhere_by_name() {
    for (protocol, stock) in
        [("goldilocks", stock::<Goldilocks3> as fn(&Path) -> Error), ("circle", stock::<hal::CircleStark>)]
    {
        let file = proven(protocol, &format!("{protocol}.polystark"), "seed=3");
        let expect = ["--expect-air", "savings", "--expect-rows", "64"];
        let valid = written(&[&["verify", text(&file)], &expect[..]].concat());
        assert!(valid.contains("savings") && !valid.contains("seed=3"), "{valid}");
        assert!(written(&["inspect", text(&file)]).contains("savings"));
        let error = stock(&file);
        assert!(matches!(&error, Error::ForeignAir { name, .. } if name == "savings"), "{error}");
        assert_eq!(error.class(), Class::Input);
    }
}

#[test]
fn a_proof_is_of_its_total_only() {
    // Deposits of 0 to 62, and deposits of 1 to 63.
    let (first, second) = (proven("goldilocks", "first", "seed=0"), proven("goldilocks", "second", "seed=1"));
    for (file, total) in [(&first, 62 * 63 / 2), (&second, 63 * 64 / 2)] {
        written(&["verify", text(file), "--expect-public", &total.to_string()]);
    }
    let [bytes, other] = [&first, &second].map(|file| std::fs::read(file).expect("it was written"));
    let mut statement = polystark::goldilocks_proof::AnyProofFile::decode(&bytes).expect("a file");
    statement.public_inputs = polystark::goldilocks_proof::AnyProofFile::decode(&other).expect("a file").public_inputs;
    std::fs::write(&first, statement.encode().expect("a file")).expect("there is room");
    let (code, message) = refused(&["verify", text(&first)]);
    assert!(code == Some(1) && message.contains("not valid"), "{message}");
    statement.public_inputs.clear();
    std::fs::write(&first, statement.encode().expect("a file")).expect("there is room");
    let (code, message) = refused(&["verify", text(&first)]);
    assert!(code == Some(1) && message.contains("must be the total"), "{message}");
}

/// The command that docs/write-an-air.md prints takes the proof that the page makes, and no other.
#[test]
fn the_command_of_the_page_takes_no_other_proof() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../write-an-air.md")).expect("a page");
    let command = |verb: &str| {
        let prefix = format!("cargo run --release -- {verb} ");
        let line = page.lines().find_map(|line| line.strip_prefix(&prefix)).expect("the page has the command");
        line.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let (prove, verify) = (command("prove"), command("verify"));
    assert_eq!((verify[0].as_str(), prove.last()), ("savings.polystark", Some(&verify[0])));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("of_page");
    let call = |verb: &str, words: &[String], from: &str, to: &str| {
        let of_page = |word: &String| if *word == verify[0] { text(&file).to_owned() } else { word.replace(from, to) };
        let words: Vec<String> = [verb.to_owned()].into_iter().chain(words.iter().map(of_page)).collect();
        own(&words.iter().map(String::as_str).collect::<Vec<_>>()).status.code()
    };
    let swaps = (0..7).map(|seed| ("seed=7", format!("seed={seed}")));
    let others = [("1024", "512"), ("1024", "2048"), ("goldilocks", "circle")].map(|(from, to)| (from, to.to_owned()));
    for (from, to) in swaps.chain(others).chain([("", String::new())]) {
        assert_eq!(call("prove", &prove, from, &to), Some(0), "{from} {to}");
        let expected = if from.is_empty() { 0 } else { 1 };
        assert_eq!(call("verify", &verify, "", ""), Some(expected), "{from} {to}");
    }
}

#[test]
fn a_circle_proof_is_of_its_words_only() {
    let file = proven("circle", "words", "seed=0");
    let bytes = std::fs::read(&file).expect("it was written");
    let stated = circle_proof::ProofFile::decode(&bytes).expect("a file");
    assert_eq!(stated.words.last(), Some(&(62 * 63 / 2)));
    for at in 0..stated.words.len() {
        let mut other = stated.clone();
        other.words[at] ^= 1;
        std::fs::write(&file, other.encode().expect("a file")).expect("there is room");
        let (code, message) = refused(&["verify", text(&file)]);
        // The digest of the AIR is that of its total, too.
        let number = if at + 1 == stated.words.len() { 2 } else { at };
        assert!(code == Some(1) && message.contains(&format!("number {number} is")), "word {at}: {message}");
    }
}

#[test]
fn shipped_airs_are_there_too_and_all_commands_know_both() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shipped");
    written(&["prove", "--air", "quadratic", "--rows", "64", "-o", text(&file)]);
    written(&["verify", text(&file)]);
    let airs = written(&["airs"]);
    assert_eq!(airs.matches("savings").count(), 2, "{airs}");
    // The program has its own name there, too.
    assert!(written(&["completions", "fish"]).contains("complete -c own-statements"));
    assert!(written(&["man", "prove"]).contains("own\\-statements\\-prove"));
    assert!(airs.contains("fibonacci-rap") && airs.contains("--param seed=VALUE"), "{airs}");
    // Speeds of the host that are given need not be measured.
    for protocol in ["goldilocks", "circle"] {
        let bench = ["bench", "proof", "--protocol", protocol, "--air", "savings", "--rows", "64", "--bandwidth", "50"];
        let measured = written(&[&bench[..], &["--keccak", "0.01", "--runs", "1", "--warm-up", "0"]].concat());
        assert!(measured.contains("savings") && measured.contains("fri_fold"), "{measured}");
    }
}

#[test]
fn what_makes_no_sense_is_named() {
    for (line, expected) in [
        ("--protocol goldilocks --air savings --rows 48", "cannot have 48 rows"),
        ("--protocol goldilocks --air savings --rows 2", "from 2^2 to 2^24"),
        ("--protocol goldilocks --air savings --rows 64 --param sede=1", "it has: seed"),
        ("--air savings --rows 64", "--protocol goldilocks or --protocol circle"),
        ("--air saving --rows 64", "wide, savings; of circle"),
    ] {
        let arguments: Vec<&str> = ["prove", "-o", "never"].into_iter().chain(line.split(' ')).collect();
        let (code, message) = refused(&arguments);
        assert!(code == Some(2) && message.contains(expected), "{line}: {message}");
    }
}

/// The columns of `savings` with the deposits of `seed=0`, as NumPy writes them for this field.
fn npy(width: usize) -> Vec<u8> {
    let deposits: Vec<u64> = (0..64).collect();
    let balances: Vec<u64> = deposits.iter().map(|row| (0..*row).sum()).collect();
    let header = format!("{{'descr': '<u{width}', 'fortran_order': True, 'shape': (64, 2), }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.extend(deposits.iter().chain(&balances).flat_map(|value| value.to_le_bytes()[..width].to_vec()));
    bytes
}

#[test]
fn an_air_is_data_for_who_does_not_have_its_code() {
    for (protocol, width) in [("goldilocks", 8), ("circle", 4)] {
        let [air, trace, proof] = ["air", "npy", "proof"]
            .map(|kind| Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("data_{protocol}.{kind}")));
        let statement = ["record", "--protocol", protocol, "--air", "savings", "--rows", "64", "--param", "seed=0"];
        written(&[&statement[..], &["-o", text(&air)]].concat());
        std::fs::write(&trace, npy(width)).expect("there is room");
        written(&["prove", "--air-file", text(&air), "--trace-file", text(&trace), "-o", text(&proof)]);
        written(&["verify", text(&proof), "--air-file", text(&air)]);
        let (code, message) = refused(&["verify", text(&proof)]);
        assert!(code == Some(2) && message.contains("does not know"), "{message}");
        // The total is part of the file: that of other deposits is another statement.
        let statement = ["record", "--protocol", protocol, "--air", "savings", "--rows", "64", "--param", "seed=1"];
        written(&[&statement[..], &["-o", text(&air)]].concat());
        assert_eq!(refused(&["verify", text(&proof), "--air-file", text(&air)]).0, Some(1));
        assert_eq!(
            refused(&["prove", "--air-file", text(&air), "--trace-file", text(&trace), "-o", text(&proof)]).0,
            Some(1)
        );
    }
}
