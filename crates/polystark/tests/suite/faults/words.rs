//! The program's words to its users.

use polystark::Goldilocks3;
use polystark::air::Trace;
use polystark::air::airs::{ExampleAir, Fibonacci2Columns};
use polystark::field::{Field, Goldilocks};

use crate::cli::common::{Ran, command, json, npy, ran, run, text, words};

/// Typing errors, each with the word that was meant.
const TYPOS: &[(&str, &str)] = &[
    ("prove --air fibonaci --rows 1024 -o x", "did you mean `fibonacci`?"),
    ("prove --air wide_fibonacci --rows 1024 -o x", "did you mean `wide-fibonacci`?"),
    ("prove --air fibonacci-rpa --rows 1024 -o x", "did you mean `fibonacci-rap`?"),
    ("prove --air fibonacci-rap --rows 64 --param stpes=1 -o x", "did you mean `steps`?"),
    ("prove --air fibonacci-rap --rows 64 --param steps:1 -o x", "did you mean `--param steps=1`?"),
    ("prove --air fibonacci-rap --rows 64 --param steps 1 -o x", "did you mean `--param steps=1`?"),
    ("prove --air fibonacci-rap --rows 64 --steps 1 -o x", "--param steps=VALUE"),
    ("prove --air fibonacci --rows 1000 -o x", "the nearest are 512 and 1024"),
    ("prove --air fibonacci --rows 2**20 -o x", "did you mean `2^20`?"),
    ("prove --air fibonacci --rows 1,024 -o x", "did you mean `1024`?"),
    ("prove --air fibonacci --rows 64k -o x", "did you mean `2^16`?"),
    ("prove --air fibonacci --rwos 1024 -o x", "'--rows'"),
    ("prove fibonacci --rows 1024 -o x", "`--air fibonacci`"),
    ("prove -air fibonacci --rows 1024 -o x", "`--air`"),
    ("prove --air fibonacci --rows 64 --grinding 4 -o x", "it has --pow-bits"),
    ("prove --air quadratic --rows 64 --log-blowup 4 -o x", "it has --blowup"),
    ("prove --air fibonacci --rows 64 --protocol circel -o x", "did you mean `circle`?"),
    ("prove --air fibonacci --rows 64 --protocol goldilocks -o x", "--protocol circle"),
    ("prove --air fibonacci --rows 64 --backend cpuu -o x", "did you mean `cpu`?"),
    ("prove --air fibonacci --rows 64 --backend gpu -o x", "did you mean `cuda`?"),
    ("prove --air quadratic --rows 64 --hash keccack256 -o x", "did you mean `keccak256`?"),
    ("prove --air fibonacci --rows 64 --security provable100 -o x", "did you mean `provable-100`?"),
    ("verify x --air fibonacci", "`--expect-air`"),
    ("verifiy x", "'verify'"),
    ("submit x", "`farm submit`"),
    ("man prov", "did you mean `prove`?"),
    ("cairo prove x --args 1 2 -o y", "`--args 1,2`"),
    ("cairo proof x", "it is `prove` here"),
    ("cairo run --args 1 2 x", "`--args 1,2`"),
    ("cairo run x --arguments 1,2", "`--args`"),
    ("cairo run x --arguments-file y", "`--args-file`"),
    ("cairo prove x --format jsno -o y", "did you mean `json`?"),
    ("cairo prove x --program-type cairo1 -o y", "did you mean `executable`?"),
    ("cairo prove x --preprocessed canonicl -o y", "did you mean `canonical`?"),
    ("cairo prove x --grinding 20 -o y", "`--pow-bits`"),
];

#[test]
fn what_was_meant_is_said() {
    for (line, meant) in TYPOS {
        let ran = words(line, &[]);
        assert_eq!(ran.code, 2, "{line}: {ran:?}");
        assert!(ran.stderr.contains(meant), "{line}: {meant} is meant: {}", ran.stderr);
        // Machines read it, too.
        let view = json(&words(line, &["--json"]));
        assert!(view["error"].as_str().is_some_and(|error| error.contains(meant)), "{line}: {view}");
    }
    for line in ["prove --air sha256 --rows 64 -o x", "prove --air fibonacci --rows 64 --param z=1 -o x"] {
        let ran = words(line, &[]);
        assert!(ran.code == 2 && !ran.stderr.contains("did you mean"), "nothing is near: {ran:?}");
    }
}

#[test]
fn help_has_sections_and_examples() {
    let help = words("prove --help", &[]).stdout;
    let sections =
        ["Statement:", "Security:", "Options of Goldilocks proofs:", "Options of Circle proofs:", "Device:", "Output:"];
    for needed in sections.into_iter().chain(["Examples:", "polystark prove --air fibonacci --rows 2^16"]) {
        assert!(help.contains(&format!("\n{needed}")) || help.contains(&format!("\n  {needed}")), "{needed}: {help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 110), "{help}");
    for line in ["verify --help", "record --help", "security --help", "bench --help"] {
        assert!(words(line, &[]).stdout.contains("Examples:"), "{line}");
    }
}

#[test]
fn shells_complete_names() {
    for shell in ["bash", "zsh", "fish"] {
        let completions = words("completions", &[shell]).stdout;
        for name in ["wide-fibonacci", "read-only-memory", "steps=", "cpu-reference", "canonical-small", "poseidon2"] {
            assert!(completions.contains(name), "{shell}: {name}");
        }
    }
}

#[test]
fn wrong_traces_end_with_1_and_large_statements_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let [air, right, wrong, proof] = ["air", "right.npy", "wrong.npy", "proof"].map(|name| folder.path().join(name));
    assert_eq!(words("record --air fibonacci-2-columns --rows 64", &["-o", text(&air)]).code, 0);
    let honest = ExampleAir::<Goldilocks3>::trace(&Fibonacci2Columns::new(64).unwrap());
    std::fs::write(&right, npy(&honest)).unwrap();
    let mut columns: Vec<Vec<Goldilocks>> = (0..honest.width()).map(|j| honest.column(j).to_vec()).collect();
    columns[1][40] += Goldilocks::ONE;
    std::fs::write(&wrong, npy(&Trace::from_columns(columns).unwrap())).unwrap();
    let prove = |trace, more: &[&str]| {
        let files = ["--air-file", text(&air), "--trace-file", text(trace), "-o", text(&proof)];
        words("prove --backend cpu --grinding 0 --queries 4 --security claimed-0", &[&files, more].concat())
    };
    assert_eq!((prove(&right, &[]).code, prove(&right, &["--check"]).code), (0, 0));
    std::fs::remove_file(&proof).unwrap();
    let unchecked = prove(&wrong, &[]);
    assert!(unchecked.code == 1 && unchecked.stderr.contains("`--check`"), "{unchecked:?}");
    let checked = prove(&wrong, &["--check"]);
    assert!(checked.code == 1 && checked.stderr.contains("row 4"), "{checked:?}");
    assert!(!proof.exists());
    // A trace of another shape is another input, not a wrong trace.
    std::fs::write(&wrong, b"no trace").unwrap();
    assert_eq!(prove(&wrong, &["--check"]).code, 2);
    for line in [
        "prove --air wide --param width=1000 --param degree=2 --rows 2^29",
        "prove --air wide-fibonacci --param w=4000 --rows 2^24",
        "prove --air fibonacci --rows 2^40",
    ] {
        let ran = words(line, &["--security", "claimed-0", "--backend", "cpu", "-o", text(&proof)]);
        assert_eq!(ran.code, 2, "{line}: {ran:?}");
    }
}

#[test]
fn quiet_and_verbose_runs_say_less_and_more() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let weak = "prove --air quadratic --rows 64 --queries 3 --grinding 1 --security claimed-0 --backend cpu";
    let normal = words(weak, &["-o", text(&file)]);
    assert!(normal.code == 0 && normal.stderr.contains("refuse this proof"), "{normal:?}");
    let quiet = words(weak, &["-q", "-o", text(&file)]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""), "{quiet:?}");
    assert!(quiet.stdout.starts_with("proven and verified"), "{quiet:?}");
    let verbose = words(weak, &["-v", "-o", text(&file)]);
    for stage in ["quadratic of 64 rows on cpu", "main trace: ", "composition: ", "verification: "] {
        assert!(verbose.stderr.contains(stage), "{stage}: {verbose:?}");
    }
    assert_eq!(words(weak, &["-q", "-v", "-o", text(&file)]).code, 2);
    // Failures are always said.
    assert!(words("verify -q /no/such/file", &[]).stderr.contains("/no/such/file"));
    let operations: Ran = ran(command().args(weak.split(' ')).args(["-vv", "-o", text(&file)]).output().unwrap());
    assert!(operations.code == 0 && operations.stderr.contains("merkle"), "{operations:?}");
}

#[test]
fn numbers_share_a_line_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    assert_eq!(words("prove --air fibonacci --rows 64 --security provable-80", &["-o", text(&file)]).code, 0);
    let inspected = run(["inspect", "--json", text(&file)]);
    assert_eq!(json(&inspected)["status"], "not verified");
    let is_number = |line: &str| line.trim().trim_end_matches(',').trim_matches('"').parse::<u64>().is_ok();
    assert!(!inspected.stdout.lines().any(is_number), "{}", inspected.stdout);
}

#[test]
fn airs_that_cannot_be_recorded_are_marked() {
    let listed = json(&words("airs --json", &[]));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("air");
    let mut refused = 0;
    for (protocol, key) in [("goldilocks", "airs"), ("circle", "circle_airs")] {
        for air in listed[key].as_array().unwrap() {
            let name = air["name"].as_str().unwrap();
            let required =
                air["parameters"].as_array().unwrap().iter().filter(|parameter| parameter["required"] == true);
            let parameters: Vec<String> =
                required.map(|parameter| format!("--param={}=4", parameter["name"].as_str().unwrap())).collect();
            let more: Vec<&str> = parameters.iter().map(String::as_str).chain(["-o", text(&file)]).collect();
            let ran = words(&format!("record --protocol {protocol} --air {name} --rows 64"), &more);
            assert_eq!(air["recordable"], ran.code == 0, "{name}: {ran:?}");
            if ran.code != 0 {
                refused += 1;
                assert!(ran.code == 2 && ran.stderr.contains("polystark airs"), "{ran:?}");
            }
        }
    }
    assert!(refused > 0);
    assert_eq!(words("airs", &[]).stdout.matches("(cannot be recorded)").count(), refused);
    assert!(words("record --help", &[]).stdout.contains("`polystark airs`"));
}

#[test]
fn the_program_knows_its_commit() {
    let version = words("--version", &[]).stdout;
    let numbered = format!("polystark {}", env!("CARGO_PKG_VERSION"));
    let rest = version.trim_end().strip_prefix(&numbered).unwrap_or_else(|| panic!("{version}"));
    // Where there is no repository there is no commit.
    let Some(inside) = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')')) else {
        assert_eq!(rest, "");
        return;
    };
    let commit = inside.split(' ').next().unwrap();
    assert!(commit.len() == 12 && commit.chars().all(|digit| digit.is_ascii_hexdigit()), "{version}");
}

#[test]
fn a_page_without_its_module_says_where_that_is_from() {
    let page = include_str!("../../../../verify-wasm/www/verify.html");
    for needed in ["cargo build -p polystark-verify-wasm", "verify_wasm.wasm", "docs/verify-in-a-service.md"] {
        assert!(page.contains(needed), "{needed}");
    }
}
