//! The command line with the toy.

use std::process::Command;

/// The output of a call that succeeds.
fn toy_backend(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_toy-backend")).args(arguments).output().expect("it was built");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn both_protocols_are_proven_and_verified_and_auto_takes_the_toy() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let proofs = [
        ("fibonacci-rap.polystark", &["--air", "fibonacci-rap", "--rows", "64", "--backend", "toy"][..]),
        ("fibonacci.polystark", &["--protocol", "circle", "--air", "fibonacci", "--rows", "64"]),
    ];
    for (file, statement) in proofs {
        let file = folder.join(file);
        let file = file.to_str().expect("a path of this repository");
        toy_backend(&[&["prove", "-o", file], statement].concat());
        assert!(toy_backend(&["verify", file]).contains("64 (2^6)"));
    }
}

#[test]
fn it_is_listed_and_measured() {
    assert!(toy_backend(&["backends"]).contains("a heap behind a lock"));
    // Speeds of the host that are given need not be measured.
    let proof = ["bench", "proof", "--backend", "toy", "--rows", "64", "--grinding", "1", "--bandwidth", "50"];
    let measured = toy_backend(&[&proof[..], &["--keccak", "0.01", "--runs", "1", "--warm-up", "0"]].concat());
    assert!(measured.contains("fri_fold"), "{measured}");
}
