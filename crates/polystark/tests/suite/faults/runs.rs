//! Runs of Cairo programs that would take more memory or time than there is.

#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::cli::common::{json, run, text};

fn fault(name: &str) -> String {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/faults").join(name);
    text(&file).to_owned()
}

/// Runs a program with limits on address space (KiB) and processor time (seconds); returns the exit code and the
/// message.
fn limited(kibibytes: u32, seconds: u32, program: &str, flags: &str) -> (Option<i32>, String) {
    let limits = format!("ulimit -v {kibibytes}; ulimit -t {seconds}; exec \"$0\" \"$@\"");
    let output: Output = Command::new("sh")
        .args(["-c", &limits, env!("CARGO_BIN_EXE_polystark"), "cairo", "run", &fault(program)])
        .args(["--backend", "cpu", "--threads", "1"])
        .args(flags.split_whitespace())
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Loops of hints, segments that they make and cells that they write are within the bounds.
#[test]
fn hints_obey_the_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("long.json");
    std::fs::write(&long, serde_json::to_vec(&vec!["0x1"; 400_000]).unwrap()).unwrap();
    let arguments = [fault("x_args_small.json"), text(&long).to_owned()].map(|file| format!("--args-file {file}"));
    for (program, flags, names) in [
        ("x_nadd", "", "--max-steps"),
        ("x_dict", "", "--max-addresses"),
        ("x_wrp", &arguments[0], "--max-addresses"),
        ("x_wrp", &arguments[1], "--max-addresses"),
    ] {
        let flags = format!("--max-steps 2000 --max-addresses 100000 {flags}");
        let (code, said) = limited(262_144, 5, &format!("{program}.executable.json"), &flags);
        assert!(code == Some(2) && said.contains(names), "{program}: {code:?}, {said}");
    }
}

/// If no flag bounds the memory, the available memory does.
#[test]
fn runs_take_no_more_memory_than_is_there() {
    for (program, flags) in [
        ("apjump.json", ""),
        ("apj_30000000.json", ""),
        ("bfar.json", ""),
        ("loopap.json", ""),
        // A flag allows it, but the memory does not.
        ("apj_30000000.json", "--max-addresses 2^27"),
        ("loopap.json", "--max-steps 2^40 --max-addresses 2^40"),
    ] {
        let (code, said) = limited(524_288, 60, program, flags);
        assert!(code == Some(2) && said.contains("more memory than there is"), "{program} {flags}: {code:?}, {said}");
    }
    let (code, said) = limited(6 << 20, 20, "apjump.json", "--max-addresses 1000");
    assert!(code == Some(2) && said.contains("more than 1000 addresses"), "{code:?}, {said}");
}

/// The program failed or was refused; returns the message.
fn refused(program: &str, flags: &[&str]) -> String {
    let program = fault(&format!("cairo0/{program}"));
    let ran = run([&["cairo", "run", &program], flags].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    ran.stderr
}

#[test]
fn refusals_name_their_cause() {
    let said = refused("ecdsa_builtin.json", &[]);
    assert!(said.contains("ecdsa") && said.contains("no component") && said.contains("library function"), "{said}");
    assert!(refused("fibonacci_pie.zip", &[]).contains("CairoPIE"));
    let input = fault("cairo0/program_input.json");
    for program in ["input_for.json", "input_members.json", "input_comment.json", "hash_chain_print.json"] {
        let flags: &[&str] = if program == "hash_chain_print.json" { &[] } else { &["--program-input", &input] };
        let said = refused(program, flags);
        assert!(said.contains("own are not run without --hints python") && said.len() < 600, "{program}: {said}");
    }
}

/// A message has the values of its own frame.
#[test]
fn messages_have_the_values_of_their_frame() {
    let said = refused("fail_assert.json", &[]);
    assert!(said.contains("a=7 is larger than b"), "{said}");
}

/// Words that were never written are told, as text and as JSON.
#[test]
fn holes_in_the_output_are_told() {
    let program = fault("cairo0/output_hole.json");
    let ran = run(["cairo", "run", &program]);
    assert!(ran.code == 0 && ran.stderr.contains("never wrote word"), "{ran:?}");
    let ran = run(["cairo", "run", &program, "--json"]);
    let view = json(&ran);
    let holes = view["output_holes"].as_array().unwrap();
    assert!(holes.len() == 1 && view["output"][holes[0].as_u64().unwrap() as usize] == "0x0", "{view}");
}

/// A pointer that is not used takes nothing; nor does the part of the program input that is not read.
#[test]
fn only_what_is_used_is_taken() {
    let ran = run(["cairo", "run", &fault("cairo0/far_pointer.json"), "--json"]);
    assert_eq!((ran.code, &json(&ran)["output"]), (0, &serde_json::json!(["0x1"])), "{ran:?}");

    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input.json");
    let others = vec![1; 400_000];
    std::fs::write(&input, serde_json::to_vec(&serde_json::json!({"n": 1, "others": others})).unwrap()).unwrap();
    let flags = format!("--program-input {}", text(&input));
    let (code, said) = limited(4 << 20, 20, "cairo0/input_loop.json", &flags);
    assert_eq!(code, Some(0), "{said}");
}
