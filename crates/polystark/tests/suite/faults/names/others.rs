//! Every option of `security` changes the result or is refused, and so do options that one backend or one protocol does
//! not have.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Folder;
use crate::cli::common::{Ran, run, words};

/// Flags of `security`, each with a value, if it takes one: `PARAMETER` stands for one that the AIR has, `OTHER` for
/// the other protocol.
const OF_SECURITY: [(&str, &str); 27] = [
    ("--protocol", "OTHER"),
    ("--param", "PARAMETER"),
    ("--format", "lambdaworks"),
    ("--fastest", ""),
    ("--curve", ""),
    ("--blowup", "16"),
    ("--queries", "50"),
    ("--grinding", "3"),
    ("--coset-offset", "7"),
    ("--hash", "poseidon2"),
    ("--points", "2"),
    ("--folds", "1,4"),
    ("--work", "3"),
    // It takes no value.
    ("--zk", "--format=compact"),
    ("--transcript-seed", "00ff"),
    ("--log-blowup", "3"),
    ("--pow-bits", "3"),
    ("--fold-step", "4"),
    ("--log-last", "1"),
    ("--lifting", "15"),
    ("--channel", "blake2s_m31"),
    ("--security", "provable-80"),
    ("--min-security-bits", "80"),
    ("--max-bytes", "10"),
    ("--air-file", "own.air"),
    ("--air", "quadratic"),
    ("--rows", "32"),
];

/// The flags of every command, another name of a flag above, and what the cheapest proofs of so few rows are anyway.
const OF_ALL: [&str; 11] =
    ["--smallest", "--bits", "--json", "--quiet", "-q", "--verbose", "-v", "--spans", "--trace", "--help", "-h"];

#[test]
fn every_option_of_security_changes_what_comes_out_or_is_refused() {
    let folder = Folder::new();
    let own = folder.own("own", 64);
    let all = polystark::cli::subcommands();
    let (_, flags) = all.iter().find(|(words, _)| words == &["security"]).expect("a subcommand");
    let known: BTreeSet<&str> = OF_SECURITY.iter().map(|(flag, _)| *flag).chain(OF_ALL).collect();
    let new: Vec<&String> = flags.iter().filter(|flag| !known.contains(flag.as_str())).collect();
    assert!(new.is_empty(), "say in the table what these do, and see that they are used or refused: {new:?}");
    let shipped = folder.shipped("shipped", "--air fibonacci --rows 64");
    for (input, other, parameter) in [
        (&["--air", "fibonacci-rap", "--rows", "64"][..], "circle", "steps=21"),
        (&["--air", "wide-fibonacci", "--rows", "64"], "goldilocks", "w=21"),
        (&[&shipped], "goldilocks", "a=2"),
        (&[&own, "--air-file", &folder.at("own.air")], "circle", "a=2"),
    ] {
        let call = |more: &[&str]| {
            let Ran { code, stdout, .. } = run(["security", "--json"].iter().chain(input).chain(more));
            (code, serde_json::from_str::<Value>(&stdout).unwrap_or_default())
        };
        let plain = call(&[]);
        assert_eq!((plain.0, &call(&[])), (0, &plain), "{input:?}");
        for (flag, value) in OF_SECURITY.into_iter().filter(|(flag, _)| !input.contains(flag)) {
            let own = folder.at("own.air");
            let value = match value {
                "OTHER" => other,
                "PARAMETER" => parameter,
                "own.air" => &own,
                value => value,
            };
            // Constraints that are not asked for are no part of the figures of a proof that needs none.
            if flag == "--air-file" && input[0] == shipped {
                continue;
            }
            let words = [flag, value];
            let changed = call(if value.is_empty() { &words[..1] } else { &words });
            assert!([0, 1, 2, 4].contains(&changed.0), "{input:?} {flag}: {changed:?}");
            assert!(changed != plain, "{input:?} {flag} {value} changes nothing and is not refused");
        }
    }
}

#[test]
fn options_that_a_backend_or_a_protocol_lacks_are_refused() {
    let folder = Folder::new();
    let proof = folder.at("proof");
    let on = |backend: &str, threads: &str| {
        let line = format!("prove --air quadratic --rows 64 --backend {backend} --threads {threads}");
        words(&line, &["-o", &proof])
    };
    for (backend, threads) in [("cpu-reference", "7"), ("cuda", "1"), ("cuda:1", "2")] {
        let ran = on(backend, threads);
        assert!(ran.code == 2 && ran.stderr.contains("--threads"), "{ran:?}");
    }
    assert_eq!((on("cpu-reference", "1").code, on("cpu", "2").code), (0, 0));
    // Verifiers of Goldilocks proofs evaluate no cells.
    let ran = words("prove --air quadratic --rows 64 --max-cells 1000", &["-o", &proof]);
    assert!(ran.code == 2 && ran.stderr.contains("--max-cells"), "{ran:?}");
    let ran = run(["verify", &proof, "--max-cells", "1000"]);
    assert!(ran.code == 2 && ran.stderr.contains("--max-cells"), "{ran:?}");
    // Random programs have no rows before they run.
    assert_eq!(words("soak --cairo --max-log-rows 5 --statements 1", &[]).code, 2);
    let circle = folder.shipped("circle", "--air fibonacci --rows 64");
    assert_eq!(super::verified(&circle, &["--max-cells", "1000"]).0, 0);
}
