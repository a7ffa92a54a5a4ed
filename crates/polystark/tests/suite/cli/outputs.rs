//! Files that are written: none destroys another, and a path that can't be written is refused before the work.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::common::{Proved, command, ran, run, text, words};

const PROVE: &str = "prove --air quadratic --rows 64 --queries 3 --grinding 0 --security claimed-0";
/// Takes more memory than any machine has, which is found before the work.
const TOO_LARGE: &str = "prove --air wide --param width=1000 --param degree=2 --rows 536870912";

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn one_file_by_two_names_is_refused_before_the_work() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(at("deep")).unwrap();
    symlink("../new", at("deep/link")).unwrap();
    for (first, second) in [
        (["-o", &at("new")], ["--raw", &at("new")]),
        (["-o", &at("new")], ["--raw", &at("./new")]),
        (["-o", &at("new")], ["--raw", &at("deep/link")]),
        (["-o", &at("new")], ["--spans", &at("new")]),
        (["-o", &at("deep/link")], ["--spans", &at("deep/../new")]),
    ] {
        let ran = words(TOO_LARGE, &[first, second].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(&format!("{} and {} name the same file", first[0], second[0])), "{ran:?}");
        assert!(!Path::new(&at("new")).exists());
    }
    let bench = "bench --rows 64 --json-file";
    let ran = words(bench, &[&at("new"), "--html", &at("deep/../new")]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn a_trace_does_not_destroy_the_proof_that_is_read() {
    let proved = Proved::small();
    let (before, link) = (proved.bytes(), proved.folder.path().join("link"));
    symlink(&proved.file, &link).unwrap();
    for subcommand in ["verify", "inspect"] {
        let ran = run([subcommand, text(&proved.file), "--spans", text(&link)]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(proved.bytes() == before, "the proof was overwritten");
    }
}

#[test]
fn what_cannot_be_written_is_refused_before_the_work() {
    let folder = folder();
    let long = folder.path().join("x".repeat(256));
    // Nobody makes files in /proc, not even root.
    for place in ["/proc/proof", text(&long), text(folder.path())] {
        for flags in [["-o", place, "--raw", "/dev/null"], ["-o", "/dev/null", "--raw", place]] {
            let ran = words(TOO_LARGE, &flags);
            assert!(ran.code == 2 && !ran.stderr.contains("memory"), "{ran:?}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_name_may_be_as_long_as_names_can_be() {
    let folder = folder();
    let file = folder.path().join("x".repeat(255));
    let ran = words(PROVE, &["-o", text(&file)]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(file.is_file());
}

#[test]
fn what_is_replaced_keeps_its_mode_and_links_stay_links() {
    let folder = folder();
    let (file, link, raw) = (folder.path().join("file"), folder.path().join("link"), folder.path().join("raw"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    // This one leads to nothing yet.
    symlink("raw", &link).unwrap();
    let ran = words(PROVE, &["-o", text(&file), "--raw", text(&link)]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::symlink_metadata(&raw).unwrap().is_file());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file is left");
}

#[test]
fn a_pipe_is_written_to_if_somebody_reads_it() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for flag in ["-o", "--spans"] {
        let output: &[&str] = if flag == "-o" { &[] } else { &["-o", "/dev/null"] };
        let mut child = command();
        child.args(PROVE.split(' ')).args(output).args([flag, text(&pipe)]);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > Duration::from_secs(20) {
                child.kill().unwrap();
                panic!("{flag} waits for a reader that never comes");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("nobody reads"), "{ran:?}");
    }
    let mut reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    let made = loop {
        let ran = words(PROVE, &["-o", text(&pipe)]);
        // The reader may not be there yet.
        if ran.code != 2 || start.elapsed() > Duration::from_secs(20) {
            break ran;
        }
    };
    if made.code != 0 {
        reader.kill().unwrap();
    }
    assert_eq!(made.code, 0, "{made:?}");
    let read = reader.wait_with_output().unwrap().stdout;
    let file = folder.path().join("file");
    assert_eq!(words(PROVE, &["-o", text(&file)]).code, 0);
    assert_eq!(read, fs::read(&file).unwrap());
}
