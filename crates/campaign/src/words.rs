//! The arguments of the command line: parsed and checked, or refused as such. Nothing is done.

use std::ffi::OsString;
use std::sync::LazyLock;

use polystark::cli::{check, subcommands};

use crate::Outcome;
use crate::script::Script;

/// Values of flags. Some are right somewhere.
const VALUES: [&str; 58] = [
    "",
    "-",
    "--",
    "0",
    "1",
    "-1",
    "2",
    "3",
    "16",
    "64",
    "63",
    "1024",
    "4096",
    "2^3",
    "2^10",
    "2^20",
    "2^63",
    "2^64",
    "2^-1",
    "2^",
    "^2",
    "18446744073709551615",
    "18446744073709551616",
    "4294967296",
    "1.5",
    "1e9",
    "0x10",
    "0xffffffffffffffffffff",
    "é",
    " ",
    ",",
    "0,1",
    "1,,2",
    "a=1",
    "steps=15",
    "=1",
    "a=",
    "a=b=c",
    "fibonacci",
    "fibonacci-rap",
    "poseidon2",
    "nothing",
    "goldilocks",
    "circle",
    "cpu",
    "cuda:1",
    "host",
    "host:2^30",
    "provable-100",
    "claimed",
    "conjectured-",
    "keccak256",
    "json",
    "binary",
    "/nowhere/file",
    "output,range_check",
    "00ff",
    "deadbeef0",
];

/// Calls that are right, or nearly.
const CALLS: [&str; 8] = [
    "prove --air fibonacci-rap --rows 64 -o /nowhere/proof --param steps=15",
    "prove --air fibonacci --rows 64 -o - --security provable-80 --backend cpu --threads 1",
    "verify /nowhere/proof --expect-air fibonacci --expect-rows 2^6 --min-security-bits 80",
    "security --air range-squares --rows 64 --param table=4 --security conjectured-90",
    "security --air fibonacci-rap --rows 1024 --queries 20 --blowup 8",
    "cairo prove /nowhere/program -o /nowhere/proof --program-type json",
    "cairo verify /nowhere/proof --expect-program 0x1 --expect-builtins output",
    "bench --air fibonacci --rows 2^10 --runs 3",
];

static KNOWN: LazyLock<Vec<(Vec<String>, Vec<String>)>> = LazyLock::new(subcommands);

/// A random call, or one that is changed.
pub fn arguments(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let mut words: Vec<OsString> = vec!["polystark".into()];
    if script.below(2) == 0 {
        let call = CALLS[script.below(CALLS.len())];
        words.extend(call.split(' ').map(OsString::from));
        (0..=script.below(4)).for_each(|_| change(&mut words, script));
    } else {
        let (subcommand, flags) = &KNOWN[script.below(KNOWN.len())];
        words.extend(subcommand.iter().map(OsString::from));
        for _ in 0..script.below(8) {
            word(flags, script).into_iter().for_each(|word| words.push(word));
        }
    }
    match check(words.clone()) {
        Ok(()) => Outcome::Taken,
        Err((code, text)) => {
            // Help is no failure, all else a mistake in the arguments, or a statement with such options that verifiers
            // would refuse.
            assert!(matches!(code, 0 | 2 | 4) && !text.trim().is_empty(), "{code}: {text:?} of {words:?}");
            Outcome::Passed
        }
    }
}

/// A flag, mostly with a value, or a value.
fn word(flags: &[String], script: &mut Script<'_>) -> Vec<OsString> {
    let flag = flags.get(script.below(flags.len())).cloned().unwrap_or_default();
    match script.below(8) {
        0 => vec![flag.into()],
        1 => vec![value(script)],
        2 => vec![[OsString::from(flag), "=".into(), value(script)].into_iter().collect()],
        _ => vec![flag.into(), value(script)],
    }
}

fn value(script: &mut Script<'_>) -> OsString {
    match script.below(16) {
        0 => script.word().to_string().into(),
        1 => "9".repeat(script.below(2000)).into(),
        #[cfg(unix)]
        2 => {
            use std::os::unix::ffi::OsStringExt as _;
            OsString::from_vec(vec![b'a', 0xff, script.byte() | 1])
        }
        _ => VALUES[script.below(VALUES.len())].into(),
    }
}

fn change(words: &mut Vec<OsString>, script: &mut Script<'_>) {
    let at = 1 + script.below(words.len() - 1);
    let all = &KNOWN[script.below(KNOWN.len())].1;
    match script.below(6) {
        0 if words.len() > 2 => drop(words.remove(at)),
        1 => words.insert(at, words[at].clone()),
        2 => {
            let new = word(all, script);
            words.splice(at..at, new);
        }
        3 => words.swap(1, at),
        _ => words[at] = value(script),
    }
}
