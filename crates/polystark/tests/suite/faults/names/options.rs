//! Every option of `prove`, with every kind of input, changes the result or is refused, and every expectation of
//! `verify` can refuse. Options come from the parser itself, so that a new one must be put into a table.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::Folder;
use crate::cli::common::{Ran, run};

/// The effect of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    /// It changes the result, or is refused.
    Something,
    /// It may leave everything as it is: it says where or how fast the same is made, or is a look at the trace before.
    Perhaps,
    /// It is part of every call here, or asks for something else than a proof.
    Base,
}
use Does::{Base, Perhaps, Something};

/// The arguments of a call: `OTHER` stands for the other protocol, `PARAMETER` for one that the AIR has, if it has any,
/// `WHERE` for the place where the trace is not made otherwise.
const OPTIONS: [(&str, &[&str], Does); 50] = [
    ("--protocol", &["OTHER"], Something),
    ("--air", &["quadratic"], Something),
    ("--rows", &["64"], Something),
    ("--air-file", &["own.air"], Something),
    ("--trace-file", &["own.npy"], Something),
    ("--param", &["PARAMETER"], Something),
    ("--format", &["lambdaworks"], Something),
    // With so few rows the cheapest proofs are the shortest.
    ("--smallest", &[], Perhaps),
    ("--fastest", &[], Something),
    ("--blowup", &["16"], Something),
    ("--queries", &["50"], Something),
    ("--grinding", &["3"], Something),
    ("--coset-offset", &["7"], Something),
    ("--hash", &["poseidon2"], Something),
    ("--points", &["2"], Something),
    ("--folds", &["1,4"], Something),
    ("--work", &["3"], Something),
    ("--zk", &[], Something),
    ("--transcript-seed", &["00ff"], Something),
    ("--log-blowup", &["3"], Something),
    ("--pow-bits", &["3"], Something),
    ("--fold-step", &["4"], Something),
    ("--log-last", &["1"], Something),
    ("--lifting", &["15"], Something),
    ("--channel", &["blake2s_m31"], Something),
    ("--security", &["provable-80"], Something),
    ("--min-security-bits", &["80"], Something),
    ("--bits", &["80"], Something),
    // No AIR here has as many cells.
    ("--max-cells", &["1000"], Perhaps),
    ("--max-bytes", &["10"], Something),
    ("--quiet", &[], Perhaps),
    ("-q", &[], Perhaps),
    ("--verbose", &[], Perhaps),
    ("-v", &[], Perhaps),
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

/// The result of a call: the exit code, the message, the names of the files and the proof.
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

/// Flags of `verify`, each with a value that no proof here has. Either proof is refused then.
const REFUSING: [(&str, &str); 24] = [
    ("--air-file", "own.air"),
    ("--key", "own.key"),
    ("--security", "provable-128"),
    ("--min-security-bits", "128"),
    ("--max-bytes", "10"),
    ("--channel", "blake2s_m31"),
    ("--preprocessed-root", "0000000000000000000000000000000000000000000000000000000000000000"),
    ("--expect-protocol", "OTHER"),
    ("--expect-air", "quadratic"),
    ("--expect-rows", "32"),
    ("--expect-param", "a=9"),
    ("--expect-public", "7"),
    ("--expect-format", "lambdaworks"),
    ("--expect-hash", "poseidon2"),
    ("--expect-blowup", "128"),
    ("--expect-queries", "9"),
    ("--expect-grinding", "60"),
    ("--expect-coset-offset", "7"),
    ("--expect-seed", "00"),
    ("--expect-log-blowup", "9"),
    ("--expect-pow-bits", "31"),
    ("--expect-fold-step", "9"),
    ("--expect-log-last", "9"),
    ("--expect-lifting", "30"),
];

#[test]
fn every_expectation_can_refuse_proofs_of_both_protocols() {
    let folder = Folder::new();
    folder.own("own", 64);
    assert_eq!(run(["key", "--air", "quadratic", "--rows", "64", "-o", &folder.at("own.key")]).code, 0);
    for (protocol, input, other, _) in &KINDS[..2] {
        let proof = folder.at(protocol);
        let ran = run(["prove"].iter().chain(*input).chain(&["-o", &proof]));
        assert_eq!((ran.code, run(["verify", &proof]).code), (0, 0), "{ran:?}");
        for (flag, value) in REFUSING {
            let [air, key] = ["own.air", "own.key"].map(|name| folder.at(name));
            let value = match value {
                "own.air" => air.as_str(),
                "own.key" => key.as_str(),
                "OTHER" => *other,
                value => value,
            };
            let ran = run(["verify", &proof, flag, value]);
            assert!([1, 4].contains(&ran.code), "{protocol} {flag}: {ran:?}");
        }
    }
}

#[test]
fn every_option_is_in_a_table() {
    // An alias is no flag of its own. A bound of preprocessed cells holds of Circle proofs that have none.
    let volume = ["--quiet", "-q", "--verbose", "-v"];
    let of_verify = REFUSING.iter().map(|(flag, _)| *flag).chain(volume);
    let of_verify = of_verify.chain(["--max-cells", "--json", "--spans", "--trace", "--help", "-h"]);
    let of_prove = OPTIONS.iter().map(|(option, ..)| *option).filter(|option| *option != "--bits");
    let all = polystark::cli::subcommands();
    for (subcommand, known) in [("prove", of_prove.collect::<BTreeSet<_>>()), ("verify", of_verify.collect())] {
        let (_, flags) = all.iter().find(|(words, _)| words == &[subcommand]).expect("a subcommand");
        let flags: BTreeSet<&str> = flags.iter().map(String::as_str).collect();
        let new: Vec<_> = flags.difference(&known).collect();
        assert!(new.is_empty(), "say in the table what these do, and see that they are used or refused: {new:?}");
        let gone: Vec<_> = known.difference(&flags).collect();
        assert!(gone.is_empty(), "{gone:?}");
    }
}
