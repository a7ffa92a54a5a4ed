//! The library of Cairo: its hints, what programs print, and panics with text.

use std::path::PathBuf;

use serde_json::Value;

use crate::cli::common::{Ran, json, run, text};

fn vector(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/faults").join(path);
    text(&path).to_owned()
}

/// The output of `print.cairo`, with 5.
const PRINTED: &str = "\
hello 5 P { x: 3618502788666131213697322783095070105623107215331596699973092056135872020478, \
y: 374144419156711147060143317175368453031918731001855, n: \"name\" }
no newlineline 0 0
line 1 1
line 2 2
line 3 3
line 4 4
";

fn print(command: &str, more: &[&str]) -> Ran {
    run(["cairo", command, &vector("cairo1/print.executable.json"), "--args", "5"].iter().chain(more))
}

#[test]
fn what_a_program_prints_is_shown() {
    let ran = print("run", &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let rest = ran.stdout.strip_prefix(PRINTED).unwrap_or_else(|| panic!("{}", ran.stdout));
    assert!(rest.starts_with("an executable"), "{rest}");
    // Machines have it in a field, and people beside them on standard error.
    let ran = print("run", &["--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, PRINTED));
    assert_eq!(json(&ran)["printed"], PRINTED);
}

#[test]
fn what_a_program_prints_before_it_fails_is_shown() {
    for command in [&["run"][..], &["prove", "-o", "/dev/null"]] {
        let steps = [&command[1..], &["--max-steps", "13500"]].concat();
        let ran = print(command[0], &steps);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stdout.starts_with("hello 5") && PRINTED.starts_with(ran.stdout.trim_end()), "{ran:?}");
        assert!(ran.stderr.contains("has not ended after 13500 steps"), "{ran:?}");
        let ran = print(command[0], &[&steps[..], &["--json"]].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(json(&ran)["printed"].as_str().unwrap().starts_with("hello 5"), "{ran:?}");
        assert!(ran.stderr.starts_with("hello 5"), "{ran:?}");
    }
}

fn panics(command: &str, arguments: &str, more: &[&str]) -> Ran {
    run(["cairo", command, &vector("cairo1/panics.executable.json"), "--args", arguments].iter().chain(more))
}

#[test]
fn a_panic_with_text_is_shown_as_its_text() {
    let assertion = "x was 77 and this assertion message is a long byte array, isn't it? (77, 9)";
    for (arguments, said) in [
        ("0,77", "it panicked with \"plain text 77\""),
        ("9,77", &format!("it panicked with \"{assertion}\"")),
        ("1,77", "it panicked with 'short'"),
        ("5,77", "it panicked with 'nothing there'"),
        ("7,77", "it panicked with []"),
        (
            "8,77",
            "it panicked with [0x1, 0x800000000000011000000000000000000000000000000000000000000000000, 'abc', 0x7fff",
        ),
    ] {
        for command in [&["run"][..], &["prove", "-o", "/dev/null"]] {
            let ran = panics(command[0], arguments, &command[1..]);
            assert_eq!(ran.code, 2, "{ran:?}");
            assert!(ran.stderr.contains(said), "{arguments}: {}", ran.stderr);
        }
        let ran = panics("run", arguments, &["--json"]);
        assert!(json(&ran)["error"].as_str().unwrap().contains(said), "{ran:?}");
    }
    assert_eq!(panics("run", "9,3", &[]).code, 0);
}

#[test]
fn a_batch_says_which_program_printed_and_panicked() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.jsonl");
    let line = |program: &str, args: &str| {
        let program = vector(&format!("cairo1/{program}.executable.json"));
        serde_json::json!({"program": program, "args": args, "output": format!("{args}.proof")}).to_string()
    };
    std::fs::write(&list, [line("panics", "0,77"), line("print", "100")].join("\n")).unwrap();
    let batch =
        |more: &[&str]| run(["cairo", "prove", "--batch", text(&list), "--max-steps", "13500"].iter().chain(more));
    let ran = batch(&[]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stdout.contains("line 2: it printed\nhello 100 P"), "{ran:?}");
    assert!(ran.stderr.contains("line 1: ") && ran.stderr.contains("\"plain text 77\""), "{ran:?}");
    let ran = batch(&["--json"]);
    let jobs: Value = json(&ran)["jobs"].clone();
    assert!(jobs[0]["error"].as_str().unwrap().contains("\"plain text 77\"") && jobs[0]["printed"].is_null());
    assert!(jobs[1]["printed"].as_str().unwrap().starts_with("hello 100 P"), "{jobs}");
    assert!(ran.stderr.contains("line 2: it printed\nhello 100 P"), "{ran:?}");
}

#[test]
fn hints_of_the_common_library_are_known() {
    for (program, words) in [
        ("lib_sha256_1", &["0xda5698be"][..]),
        ("lib_k1_u256", &["0x219ab7cba8d569b240efe4", "0x1c94297144a3a22e12f771", "0x2f8bde4d1a07209355b4a"]),
    ] {
        let ran = run(["cairo", "run", &vector(&format!("cairo0/{program}.json")), "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(json(&ran)["output"], Value::from(words));
    }
}
