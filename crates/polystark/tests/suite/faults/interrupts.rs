//! Runs that are interrupted leave no files.
#![cfg(unix)]

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::cli::common::{command, text};

/// Its grinding takes hours: it is interrupted before it ends.
const PROVE: &str = "prove --air fibonacci-rap --rows 64 --param steps=20 --queries 88 --grinding 32 --threads 1";

/// Proves into two files of a folder, of which one is there already.
fn prove(folder: &Path) -> Child {
    let (file, raw) = (folder.join("proof"), folder.join("raw"));
    let mut command = command();
    command.args(PROVE.split(' ')).args(["-o", text(&file), "--raw", text(&raw)]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

fn kill(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("there is `kill`").success());
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("it is there");
    entries.map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8")).collect()
}

#[test]
fn interrupts_leave_no_files() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    std::fs::write(folder.path().join("raw"), "old").expect("there is room");
    let signals = ["-INT", "-TERM", "-KILL", "-TERM", "-INT"];
    for round in 0..20 {
        let mut child = prove(folder.path());
        std::thread::sleep(Duration::from_millis(100 + 45 * round));
        let signal = signals[round as usize % signals.len()];
        kill(&child, signal);
        let code = child.wait().expect("it ends").code();
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("UTF-8");
        match signal {
            "-KILL" => assert_eq!(code, None),
            // One that is interrupted before it does anything is ended by the system.
            _ if code.is_none() => assert!(said.is_empty(), "{said}"),
            _ => {
                assert_eq!(code, Some(if signal == "-INT" { 130 } else { 143 }), "{said}");
                assert!(said.ends_with("polystark: interrupted, no proof was written\n"), "{said}");
            }
        }
        assert_eq!(names(folder.path()), ["raw"], "after {signal}");
    }
    assert_eq!(std::fs::read(folder.path().join("raw")).expect("it is there"), b"old");
}

/// Files that versions before this one have left behind, and that file systems without unnamed files still make.
#[test]
fn the_next_start_removes_what_the_dead_have_left() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for name in [".polystark.4194303.0.tmp", ".polystark.4194303.1.tmp"] {
        std::fs::write(folder.path().join(name), "left").expect("there is room");
    }
    let mut child = prove(folder.path());
    while !names(folder.path()).is_empty() {
        assert!(child.try_wait().expect("a child").is_none(), "it has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill(&child, "-TERM");
    child.wait().expect("it ends");
    assert_eq!(names(folder.path()), [""; 0]);
}
