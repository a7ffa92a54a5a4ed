//! Trace files and AIR files.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

use polystark::air::file::{MAGIC, VERSION};
use polystark::proof_format::wire::put_int;
use tempfile::TempDir;

use crate::cli::common::{run, text, words};

/// An input that once had the wrong outcome.
fn fault(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/faults").join(name)
}

/// Proves from two files in 512 MiB of address space and 10 seconds of processor time; returns the exit code and
/// standard error.
fn prove(folder: &TempDir, air: &Path, trace: &Path) -> (Option<i32>, String) {
    let proof = folder.path().join("proof");
    let limits = "ulimit -v 524288; ulimit -t 10; exec \"$0\" \"$@\"";
    let files = ["--air-file", text(air), "--trace-file", text(trace), "-o", text(&proof)];
    let output = Command::new("sh")
        .args(["-c", limits, env!("CARGO_BIN_EXE_polystark"), "prove", "--backend", "cpu", "--threads", "1"])
        .args(files)
        .output()
        .expect("the program starts");
    assert!(!proof.exists());
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

fn refused(folder: &TempDir, air: &Path, trace: &Path, expected: &str) {
    let (code, said) = prove(folder, air, trace);
    assert!(code == Some(2) && said.contains(expected) && said.len() < 1000, "{code:?}: {said}");
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

#[test]
fn traces_without_rows_are_refused() {
    let folder = scratch();
    for name in ["z0.npy", "z1.npy"] {
        refused(&folder, &fault("gok.air"), &fault(name), "there are no rows");
    }
}

#[test]
fn an_air_of_many_columns_that_nothing_uses_is_refused() {
    let folder = scratch();
    refused(&folder, &fault("gcols.air"), &fault("z0.npy"), "1048576 main columns, of which its constraints use 1");
    // The verifier takes no such file either.
    let ran = run(["verify", text(&fault("gok.air")), "--air-file", text(&fault("gcols.air"))]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

/// The beginning of all files, before their layout.
fn air(protocol: &str, degree: u64, log_rows: u64, layout: [u64; 5]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let name = |bytes: &mut Vec<u8>, name: &str| {
        put_int(bytes, name.len() as u64);
        bytes.extend(name.bytes());
    };
    put_int(&mut bytes, VERSION);
    name(&mut bytes, protocol);
    put_int(&mut bytes, degree);
    name(&mut bytes, "x");
    put_int(&mut bytes, log_rows);
    layout.into_iter().for_each(|number| put_int(&mut bytes, number));
    bytes
}

/// Both protocols, with the degrees of their extensions.
const PROTOCOLS: [(&str, u64); 2] = [("goldilocks", 3), ("circle", 4)];

/// A trace that is of no AIR, so that all is over once the AIR is read.
fn other_trace(folder: &TempDir) -> PathBuf {
    let header = "{'descr': '<u8', 'fortran_order': True, 'shape': (3, 1), }";
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.extend([0; 24]);
    let trace = folder.path().join("other.npy");
    std::fs::write(&trace, bytes).expect("there is room");
    trace
}

/// An AIR of 2^28 rows: with transitions, each with rows of its own or all with the same, and boundaries, each on a row
/// of its own or all the same one.
fn of_many(protocol: &str, degree: u64, transitions: u64, boundaries: u64, are_equal: bool) -> Vec<u8> {
    let mut bytes = air(protocol, degree, 28, [1, 0, 1, 0, 2]);
    let own = |number: u64| if are_equal { 0 } else { number };
    // No public inputs, no periodic columns; an expression: column 0.
    bytes.extend([0, 0, 1, 0, 0, 0]);
    put_int(&mut bytes, transitions);
    for number in 0..transitions {
        // Each 2^18th row from one on of its own.
        bytes.push(0);
        put_int(&mut bytes, 1 << 18);
        put_int(&mut bytes, own(number));
        bytes.extend([0, 0]);
    }
    put_int(&mut bytes, boundaries);
    for number in 0..boundaries {
        bytes.extend([0, 0]);
        put_int(&mut bytes, own(number));
        bytes.push(0);
    }
    bytes.push(0);
    bytes
}

/// Comparing each constraint with all others would take minutes.
#[test]
fn airs_of_many_constraints_are_read_in_seconds() {
    let folder = scratch();
    let (trace, path) = (other_trace(&folder), folder.path().join("many.air"));
    for (protocol, degree) in PROTOCOLS {
        let read = "it has 1 columns and 3 rows";
        for (transitions, boundaries, are_equal, expected) in [
            (4096, 4096, false, read),
            (150_000, 4096, true, read),
            // Many divisors, evaluated at every point, would take time by the square of the rows.
            (150_000, 1, false, "150000 sets of rows of transitions: at most 4096"),
            (1, 100_000, false, "100000 boundaries: at most 4097"),
            (1, 100_000, true, "100000 boundaries: at most 4097"),
        ] {
            std::fs::write(&path, of_many(protocol, degree, transitions, boundaries, are_equal))
                .expect("there is room");
            refused(&folder, &path, &trace, expected);
        }
    }
    let proof = folder.path().join("proof");
    assert_eq!(words("prove --air quadratic --rows 64 -o", &[text(&proof)]).code, 0);
    let ran = run(["verify", text(&proof), "--air-file", text(&path)]);
    assert!(ran.code == 2 && ran.stderr.contains("at most 4097"), "{ran:?}");
}

/// A constraint that reads the row before, as the row 2^l - 1 further on, makes a frame of all rows.
#[test]
fn frames_and_unused_columns_of_files_are_bounded() {
    let folder = scratch();
    let (trace, path) = (other_trace(&folder), folder.path().join("frame.air"));
    for (protocol, degree) in PROTOCOLS {
        let mut bytes = air(protocol, degree, 14, [1, 0, 1 << 14, 0, 1]);
        bytes.extend([0, 0, 1, 0, 0]);
        put_int(&mut bytes, (1 << 14) - 1);
        bytes.extend([1, 0, 1, 0, 0, 0, 0, 0]);
        std::fs::write(&path, &bytes).expect("there is room");
        refused(&folder, &path, &trace, "16384 rows of a frame: at most 64");

        let mut bytes = air(protocol, degree, 14, [1, 0, 1, 0, 1]);
        bytes.push(0);
        put_int(&mut bytes, 100_000);
        bytes.extend([1, 7].repeat(100_000));
        bytes.extend([1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
        std::fs::write(&path, &bytes).expect("there is room");
        refused(&folder, &path, &trace, "100000 periodic columns, of which its constraints use 0");
    }
}

/// The file's own numbers bound a layout.
#[test]
fn small_files_are_small_airs() {
    let folder = scratch();
    let (trace, path) = (other_trace(&folder), folder.path().join("wide.air"));
    let most = 1 << 20;
    for (protocol, degree) in PROTOCOLS {
        for layout in
            [[most, 0, 1, 0, 1], [1, 0, 1, most, 1], [1, most, 1, 0, 1], [1, 0, most, 0, 1], [1, 0, 1, 0, most]]
        {
            for log_rows in [2, 20, 28] {
                let mut bytes = air(protocol, degree, log_rows, layout);
                bytes.extend([0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
                std::fs::write(&path, &bytes).expect("there is room");
                let (code, said) = prove(&folder, &path, &trace);
                assert!(code == Some(2) && said.len() < 1000, "{protocol}, {layout:?}, 2^{log_rows}: {code:?}, {said}");
            }
        }
    }
}

/// A word that nobody wants to read is not repeated.
#[test]
fn error_texts_show_little_of_what_is_wrong() {
    // As long as an argument can be.
    let long = "x".repeat(120_000);
    let folder = scratch();
    let file = folder.path().join("proof");
    let assigned = format!("a={long}");
    let named = format!("{long}=1");
    let flag = format!("--{long}");
    let assigned_flag = format!("--rows={long}");
    for arguments in [
        &["prove", "--rows", "64", "--air", &long][..],
        &["prove", "--air", "fibonacci", "--rows", &long],
        &["prove", "--air", "fibonacci", &assigned_flag],
        &["prove", "--air", "fibonacci", "--rows", "64", "--param", &assigned],
        &["prove", "--air", "fibonacci", "--rows", "64", "--param", &named],
        &["prove", "--air", "fibonacci", "--rows", "64", "--param", &long],
        &["prove", "--air", "fibonacci", "--rows", "64", "--backend", &long],
        &["prove", "--air", "fibonacci", "--rows", "64", "--security", &long],
        &["prove", "--air", "fibonacci", "--rows", "64", "--spill", &long],
        &["prove", "--air", "fibonacci", "--rows", "64", "--devices", &long],
        &["prove", "--air", "fibonacci", "--rows", "64", &flag],
        &["verify", &long],
        &["verify", "x", "--expect-public", &long],
        &["verify", "x", "--expect-seed", &long],
        &["man", &long],
        &[&long],
    ] {
        for json in [false, true] {
            let more: &[&str] = if json { &["--json"] } else { &[] };
            let output = if arguments[0] == "prove" { &["-o", text(&file)][..] } else { &[] };
            let ran = run([arguments, output, more].concat());
            let (code, stdout, stderr) = (ran.code, ran.stdout, ran.stderr);
            assert!(code != 0 && stderr.len() < 3000 && stdout.len() < 3000, "{}: {stderr}", arguments.len());
            assert!(!stderr.contains(&long[..81]) && !stdout.contains(&long[..81]), "{stderr}");
        }
    }
}

/// Nor is one of a file.
#[test]
fn error_texts_show_little_of_what_a_file_holds() {
    let folder = scratch();
    let file = folder.path().join("file.json");
    let long = "x".repeat(1 << 20);
    for content in [
        format!("{{\"{long}\": 1}}"),
        format!("{{\"entrypoints\": \"{long}\"}}"),
        format!("{{\"identifiers\": {{}}, \"data\": [\"{long}\"]}}"),
        format!("{{\"program\": {{\"bytecode\": [\"{long}\"], \"hints\": []}}, \"entrypoints\": []}}"),
        format!("[\"{long}\"]"),
        long.clone(),
    ] {
        std::fs::write(&file, content).expect("there is room");
        for arguments in [&["cairo", "run"][..], &["cairo", "program-hash"], &["cairo", "verify"], &["verify"]] {
            let ran = run([arguments, &[text(&file)]].concat());
            assert!(ran.code != 0 && !ran.stderr.contains(&long[..81]), "{arguments:?}: {}", ran.stderr.len());
        }
    }
}
