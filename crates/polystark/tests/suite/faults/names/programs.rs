//! Every option of `cairo run` and `cairo prove`, with every kind of program, changes the result or is refused.
//! `cairo run` has the options that decide a proof, and makes none.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::{Folder, vector};
use crate::cli::common::{Ran, run, text};

/// The flags that may depend on the kind of a program: with each kind a flag changes the result, or is refused.
const OF_PROGRAMS: [(&str, &str); 9] = [
    ("--program-type", "OTHER"),
    ("--args", "7"),
    ("--args-file", "args"),
    ("--program-input", "input"),
    // The tested program has no Python.
    ("--hints", "python"),
    ("--max-steps", "10"),
    ("--max-addresses", "10"),
    ("--max-bytes", "10"),
    ("--preprocessed", "canonical"),
];

/// The flags of any run, which are tried with one kind alone.
const OF_ALL: [(&str, &str); 16] = [
    ("--log-blowup", "2"),
    ("--lifting", "23"),
    ("--pow-bits", "20"),
    ("--queries", "50"),
    ("--fold-step", "2"),
    ("--log-last", "2"),
    ("--channel", "blake2s_m31"),
    ("--channel-salt", "7"),
    ("--preprocessed-samples", "all"),
    ("--params", "params"),
    ("--keep", "prefixes"),
    ("--backend", "no-such-backend"),
    ("--device", "1"),
    ("--threads", "0"),
    ("--pie", "pie"),
    ("--tasks", "/no/such/list"),
];

/// Prover parameters of the reference, which are not the defaults.
const PARAMETERS: &str = r#"{"channel_hash": "blake2s", "channel_salt": 0, "pcs_config": {"pow_bits": 26, "fri_config":
    {"log_blowup_factor": 1, "log_last_layer_degree_bound": 0, "n_queries": 71, "fold_step": 1}, "lifting_log_size": null},
    "preprocessed_trace": "canonical_small", "store_polynomials_coefficients": false,
    "include_all_preprocessed_columns": false}"#;

/// Say how fast the same is done, or where.
const OF_PROOFS: [&str; 3] = ["--devices", "--machine", "--spill"];

/// Part of every call, or no options of programs.
const BASE: [&str; 10] =
    ["--json", "--help", "-h", "--spans", "--trace", "--version", "--quiet", "-q", "--verbose", "-v"];

/// The flags of `cairo prove` alone, each with a call that it is no part of, or that shows its effect.
const OF_PROVE: [(&str, &[&str]); 10] = [
    ("--format", &["--format", "cairo-serde"]),
    ("--preprocessed-root", &["--preprocessed-root", "some"]),
    ("--raw", &["--raw", "/no/such/folder/file"]),
    ("--security", &["--security", "nothing-80"]),
    ("--min-security-bits", &["--min-security-bits", "many"]),
    ("--bits", &["--bits", "many"]),
    ("--batch", &["--batch", "/no/such/list"]),
    ("--jobs", &["--jobs", "2"]),
    ("--output", &["--output", "twice"]),
    ("-o", &["-o", "twice"]),
];

fn flags(subcommand: &str) -> BTreeSet<String> {
    let all = polystark::cli::subcommands();
    let (_, flags) = all.into_iter().find(|(words, _)| words == &["cairo", subcommand]).expect("a subcommand");
    flags.into_iter().collect()
}

#[test]
fn every_option_is_in_a_table() {
    let of_run: BTreeSet<&str> =
        OF_PROGRAMS.iter().chain(&OF_ALL).map(|(flag, _)| *flag).chain(OF_PROOFS).chain(BASE).collect();
    let of_prove = OF_PROVE.iter().map(|(flag, _)| *flag).chain(of_run.iter().copied()).collect();
    for (subcommand, known) in [("run", of_run), ("prove", of_prove)] {
        let new: Vec<String> = flags(subcommand).into_iter().filter(|flag| !known.contains(&flag[..])).collect();
        assert!(new.is_empty(), "say in a table what these do, and see that they are used or refused: {new:?}");
    }
}

#[test]
fn every_option_changes_what_comes_out_or_is_refused() {
    let folder = Folder::new();
    let [args, input, params, pie] = ["args", "input", "params", "pie"].map(|name| folder.at(name));
    fs::write(&params, PARAMETERS).expect("there is room");
    fs::write(&args, "[\"0x7\"]").expect("there is room");
    fs::write(&input, "7").expect("there is room");
    let kinds = [
        ("cairo/programs/fib_10.json", &[][..], "executable"),
        ("cairo1/programs/fib.executable.json", &["--args", "200"], "json"),
        ("cairo1/inputs/fib_boot.bin", &[], "executable"),
    ];
    for (at, (program, with, other)) in kinds.into_iter().enumerate() {
        let program = vector(program);
        let call = |more: &[&str]| {
            let Ran { code, stdout, .. } = run(["cairo", "run", "--json", text(&program)].iter().chain(more));
            let mut view: Value = serde_json::from_str(&stdout).unwrap_or_default();
            if let Some(view) = view.as_object_mut() {
                let _ = ["proof_seconds", "seconds"].map(|time| view.remove(time));
            }
            (code, view)
        };
        let plain = call(with);
        assert_eq!((plain.0, &call(with)), (0, &plain), "{program:?}: it is repeatable");
        for (flag, value) in OF_PROGRAMS.iter().chain(OF_ALL.iter().filter(|_| at == 0)) {
            let value = match *value {
                "OTHER" => other,
                "args" => &args,
                "input" => &input,
                "params" => &params,
                "pie" => &pie,
                value => value,
            };
            // The hints of this program do not read it; the hints of others may.
            if at == 0 && *flag == "--program-input" {
                continue;
            }
            // A list in place of the list.
            let with = if flag.starts_with("--args") { &[] } else { with };
            let changed = call(&[with, &[flag, value]].concat());
            assert!([0, 2, 3, 4].contains(&changed.0), "{program:?} {flag}: {changed:?}");
            assert!(changed != plain, "{program:?} {flag} {value} changes nothing and is not refused");
        }
    }
}

/// A CairoPIE says nothing about a proof.
#[test]
fn options_of_proofs_are_refused_beside_a_pie() {
    let folder = Folder::new();
    let (program, pie) = (vector("cairo/programs/fib_10.json"), folder.at("pie"));
    for (flag, value) in OF_ALL.iter().filter(|(flag, _)| *flag != "--pie").chain([&("--preprocessed", "canonical")]) {
        let value = if *flag == "--threads" { "1" } else { value };
        let ran = run(["cairo", "run", text(&program), "--pie", &pie, *flag, value]);
        assert!(ran.code == 2 && ran.stderr.contains("cannot be used with"), "{flag}: {ran:?}");
    }
}

/// With one program, and where it makes no sense.
#[test]
fn options_of_proofs_are_refused_where_they_would_do_nothing() {
    let folder = Folder::new();
    let (program, proof) = (vector("cairo1/programs/fib.executable.json"), folder.at("proof"));
    for (flag, words) in OF_PROVE {
        let ran = run(["cairo", "prove", text(&program), "-o", &proof].iter().chain(words));
        assert_eq!(ran.code, 2, "{flag}: {ran:?}");
    }
    for (flag, value) in OF_ALL.iter().take(9).chain([&("--preprocessed", "canonical")]) {
        let ran = run(["cairo", "prove", text(&program), "-o", &proof, "--params", "/no/such/file", *flag, *value]);
        assert!(ran.code == 2 && ran.stderr.contains("cannot be used with"), "{flag}: {ran:?}");
    }
    for more in [["--args", "7"], ["--args-file", "args"], ["--program-input", "input"], ["--raw", "raw"]] {
        let ran = run(["cairo", "prove", "--batch", "/no/such/list"].iter().chain(&more));
        assert!(ran.code == 2 && ran.stderr.contains("cannot be used with"), "{more:?}: {ran:?}");
    }
}
