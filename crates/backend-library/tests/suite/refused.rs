//! Files that are no backends of this program.

use std::fs;
use std::path::PathBuf;

use backend_library::{Library, LoadError};
use tempfile::TempDir;

use crate::example;

/// The library with one text in place of another of the same length, in a folder of its own.
fn patched(folder: &TempDir, from: &str, to: &str) -> PathBuf {
    assert_eq!(from.len(), to.len());
    let mut bytes = fs::read(example("wayward")).expect("the library");
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from.as_bytes())).collect();
    assert!(!places.is_empty(), "the library does not say {from}");
    for at in places {
        bytes[at..][..to.len()].copy_from_slice(to.as_bytes());
    }
    let path = folder.path().join("libpatched.so");
    fs::write(&path, bytes).expect("room for a copy");
    path
}

#[test]
fn an_old_library_is_refused_by_what_it_is_built_for() {
    let folder = TempDir::new().expect("a folder");
    let error = Library::load(patched(&folder, "\ncontract: 1\n", "\ncontract: 0\n")).expect_err("an old contract");
    assert!(matches!(&error, LoadError::Contract { library, .. } if library == "0"), "{error}");
    assert!(error.to_string().contains("version 0 of the contract"), "{error}");
}

#[test]
fn a_library_of_another_compiler_is_refused_by_its_name() {
    let folder = TempDir::new().expect("a folder");
    let error = Library::load(patched(&folder, "\ncompiler: rustc 1.", "\ncompiler: rustc 0.")).expect_err("another");
    let LoadError::Build { differences, .. } = &error else { panic!("{error}") };
    assert_eq!(differences.len(), 1);
    assert!(differences[0].library.starts_with("rustc 0.") && differences[0].program.starts_with("rustc 1."));
    assert!(error.to_string().contains("build it again with rustc 1."), "{error}");
}

#[test]
fn what_is_no_backend_is_refused_and_the_file_is_named() {
    let error = Library::load(example("stranger")).expect_err("no backend");
    assert!(matches!(error, LoadError::Stranger { has_note: false, .. }), "{error}");
    assert!(error.to_string().contains("stranger"), "{error}");

    let folder = TempDir::new().expect("a folder");
    let text = folder.path().join("libtext.so");
    fs::write(&text, "no library").expect("room for a few bytes");
    for (path, is_file) in [(text, true), (folder.path().to_owned(), false), (folder.path().join("none.so"), false)] {
        let error = Library::load(&path).expect_err("no library");
        assert_eq!(matches!(error, LoadError::Library { .. }), is_file, "{error}");
        assert_eq!(matches!(error, LoadError::File { .. }), !is_file, "{error}");
        assert!(error.to_string().contains(&format!("{path:?}")), "{error}");
        // The system's words on Linux.
        assert!(!is_file || cfg!(not(target_os = "linux")) || error.to_string().contains("file too short"), "{error}");
    }
}
