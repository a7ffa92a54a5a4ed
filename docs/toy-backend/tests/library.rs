//! The toy as a shared library that a program loads: `--backend ./libtoy_backend.so`. The program of this package has
//! it compiled in as well, which makes no difference to the loaded module.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Where cargo puts the library: beside the tests.
fn library() -> PathBuf {
    let tests = std::env::current_exe().expect("this program's path");
    tests.with_file_name(format!("{DLL_PREFIX}toy_backend{DLL_SUFFIX}"))
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_toy-backend"));
    program.args(arguments).current_dir(folder).output().expect("it was built")
}

/// The output of a call that succeeds.
fn written(arguments: &[&str], folder: &Path) -> String {
    let output = run(arguments, folder);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The error text of a call that is bad usage.
fn refused(arguments: &[&str], folder: &Path) -> String {
    let output = run(arguments, folder);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with `libtoy.so`, which is the library with one text in place of another of the same length.
fn copied(from: &str, to: &str) -> TempDir {
    assert_eq!(from.len(), to.len());
    let mut bytes = fs::read(library()).expect("the library");
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from.as_bytes())).collect();
    assert!(!places.is_empty(), "the library does not say {from}");
    for at in places {
        bytes[at..][..to.len()].copy_from_slice(to.as_bytes());
    }
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("libtoy.so"), bytes).expect("room for a copy");
    folder
}

#[test]
fn proofs_of_both_protocols_are_those_of_the_processor() {
    let folder = copied("contract: 1", "contract: 1");
    for air in ["fibonacci-rap", "fibonacci"] {
        let prove = |place: &[&str]| {
            let statement = ["prove", "--air", air, "--rows", "64", "-o", "fib.polystark", "--backend"];
            written(&[&statement[..], place].concat(), folder.path());
            assert!(written(&["verify", "fib.polystark"], folder.path()).contains("64 (2^6)"));
            fs::read(folder.path().join("fib.polystark")).expect("the proof")
        };
        let proof = prove(&["./libtoy.so"]);
        for place in [&["libtoy.so:0"][..], &["libtoy.so", "--spill", "host"], &["cpu"]] {
            assert_eq!(proof, prove(place), "{place:?}");
        }
    }
}

#[test]
fn a_library_is_listed_and_one_device() {
    let folder = copied("contract: 1", "contract: 1");
    let listed = written(&["backends", "./libtoy.so", "cpu"], folder.path());
    assert!(listed.starts_with("./libtoy.so: available\n") && listed.contains("a heap behind a lock"), "{listed}");
    assert!(listed.contains("cpu: available\n"), "{listed}");

    let prove = ["prove", "--air", "fibonacci", "--rows", "64", "-o", "fib.polystark", "--backend", "libtoy.so"];
    let second = refused(&[&prove[..], &["--devices", "2"]].concat(), folder.path());
    assert!(second.contains("the backend library \"libtoy.so\" has no device 1") && second.contains("numbers none"));
}

#[test]
fn an_old_library_and_a_file_that_is_none_are_refused_by_name() {
    let prove = ["prove", "--air", "fibonacci", "--rows", "64", "-o", "fib.polystark", "--backend", "./libtoy.so"];
    let old = refused(&prove, copied("contract: 1", "contract: 0").path());
    assert!(old.contains("\"./libtoy.so\" is built for version 0 of the contract"), "{old}");
    let other = refused(&prove, copied("compiler: rustc 1.", "compiler: rustc 0.").path());
    assert!(other.contains("its compiler is rustc 0.") && other.contains("build it again with rustc 1."), "{other}");

    let folder = TempDir::new().expect("a folder");
    assert!(refused(&prove, folder.path()).contains("there is no backend library \"./libtoy.so\""));
    fs::write(folder.path().join("libtoy.so"), "a text").expect("room for a few bytes");
    assert!(refused(&prove, folder.path()).contains("\"./libtoy.so\" is no shared library of this system"));
    assert!(refused(&["backends", "./libtoy.so"], folder.path()).contains("is no shared library of this system"));
}
