//! Every option of `prove`, with every kind of input, changes what comes out or is refused. Options come from the parser itself, so that a
//! new one must be put into the table.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::Folder;
use crate::cli::common::{Ran, run};

/// What an option may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    /// It changes what comes out, or is refused.
    Something,
    /// It may leave everything as it is: it says where or how fast the same is made, or is a look at the trace before.
    Perhaps,
    /// It is part of every call here, or asks for something else than a proof.
    Base,
}
use Does::{Base, Perhaps, Something};

/// What a call is given: `OTHER` stands for the other protocol, `PARAMETER` for one that the AIR has, if it has any, `WHERE` for the place
/// where the trace is not made otherwise.
const OPTIONS: [(&str, &[&str], Does); 36] = [
    ("--protocol", &["OTHER"], Something),
    ("--air", &["quadratic"], Something),
    ("--rows", &["64"], Something),
    ("--air-file", &["own.air"], Something),
    ("--trace-file", &["own.npy"], Something),
    ("--param", &["PARAMETER"], Something),
    ("--blowup", &["16"], Something),
    ("--queries", &["50"], Something),
    ("--grinding", &["3"], Something),
    ("--coset-offset", &["7"], Something),
    ("--hash", &["poseidon2"], Something),
    ("--transcript-seed", &["00ff"], Something),
    ("--log-blowup", &["3"], Something),
    ("--pow-bits", &["3"], Something),
    ("--fold-step", &["1"], Something),
    ("--log-last", &["1"], Something),
    ("--lifting", &["15"], Something),
    ("--security", &["provable-80"], Something),
    ("--min-security-bits", &["80"], Something),
    ("--bits", &["80"], Something),
    ("--backend", &["cpu-reference"], Something),
    ("--device", &["1"], Something),
    ("--devices", &["2"], Perhaps),
    ("--spill", &["host"], Perhaps),
    ("--threads", &["1"], Perhaps),
    ("--trace-from", &["WHERE"], Something),
    ("--check", &[], Perhaps),
    ("--check-limit", &["3"], Something),
    ("--raw", &["raw"], Something),
    ("--spans", &["spans"], Something),
    ("--trace", &["spans"], Something),
    ("--output", &[], Base),
    ("--json", &[], Base),
    ("-o", &[], Base),
    ("--help", &[], Base),
    ("-h", &[], Base),
];

/// The kinds of input, with the option that says another protocol and a parameter.
const KINDS: [(&str, &[&str], &str, &str); 3] = [
    ("goldilocks", &["--air", "fibonacci-rap", "--rows", "64"], "circle", "steps=21"),
    ("circle", &["--air", "fibonacci", "--rows", "64"], "goldilocks", "a=2"),
    ("files", &["--air-file", "own.air", "--trace-file", "own.npy"], "circle", "steps=21"),
];

/// What came of a call: the exit code, what was said, the names of the files and the proof.
#[derive(PartialEq, Eq, Debug)]
struct Outcome(i32, Value, String, BTreeSet<String>, Option<Vec<u8>>);

fn outcome(folder: &Folder, words: &[&str]) -> Outcome {
    let files = ["own.air", "own.npy", "raw", "spans", "proof"];
    let words: Vec<String> =
        words.iter().map(|word| if files.contains(word) { folder.at(word) } else { (*word).to_owned() }).collect();
    let Ran { code, stdout, stderr } = run(["prove", "--json"].map(str::to_owned).iter().chain(&words));
    let mut view: Value = serde_json::from_str(&stdout).unwrap_or_default();
    if let Some(view) = view.as_object_mut() {
        let _ = ["stages", "seconds"].map(|time| view.remove(time));
    }
    let names = fs::read_dir(folder.0.path()).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let names = names.map(|name| name.into_string().expect("UTF-8")).collect();
    let proof = fs::read(folder.at("proof")).ok();
    let _ = ["raw", "spans", "proof"].map(|name| fs::remove_file(folder.at(name)).ok());
    Outcome(code, view, stderr, names, proof)
}

#[test]
fn every_option_changes_what_comes_out_or_is_refused() {
    let folder = Folder::new();
    fs::remove_file(folder.own("own", 64)).expect("it was written");
    for (kind, input, other, parameter) in KINDS {
        let call = |more: &[&str]| outcome(&folder, &[input, &["-o", "proof"], more].concat());
        let plain = call(&[]);
        assert_eq!((plain.0, &call(&[])), (0, &plain), "{kind}: it is repeatable");
        for (option, values, does) in
            OPTIONS.into_iter().filter(|(option, _, does)| *does != Base && !input.contains(option))
        {
            let values = values.iter().map(|value| match *value {
                "OTHER" => other,
                "PARAMETER" => parameter,
                "WHERE" if plain.1["trace"] == "device" => "upload",
                "WHERE" => "device",
                value => value,
            });
            let words: Vec<&str> = [option].into_iter().chain(values).collect();
            let changed = call(&words);
            assert!([0, 2, 3, 4].contains(&changed.0), "{kind} {words:?}: {changed:?}");
            assert!(does == Perhaps || changed != plain, "{kind} {words:?} changes nothing and is not refused");
        }
    }
}

#[test]
fn every_option_is_in_the_table() {
    let all = polystark::cli::subcommands();
    let (_, flags) = all.iter().find(|(words, _)| words == &["prove"]).expect("a subcommand");
    let flags: BTreeSet<&str> = flags.iter().map(String::as_str).collect();
    let known: BTreeSet<&str> = OPTIONS.iter().map(|(option, ..)| *option).collect();
    let new: Vec<_> = flags.difference(&known).collect();
    assert!(new.is_empty(), "say in the table what these do, and see that they are used or refused: {new:?}");
    // An alias is no flag of its own.
    let gone: Vec<_> = known.difference(&flags).filter(|option| **option != "--bits").collect();
    assert!(gone.is_empty(), "{gone:?}");
}
