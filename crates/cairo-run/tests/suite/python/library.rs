//! Hints of Cairo's common library, run as Python: what they do is what cairo-vm and our machine do by their texts.

use std::collections::BTreeSet;

use cairo_run::{Machine, Options, load, write_prover_input};
use serde_json::Value;

use super::options;
use crate::files::read;

/// Runs a program of the library once for each of its hints, which then is no hint of the library any more: its text
/// has a comment, and it runs as Python. The run must be the same.
pub(crate) fn judge(name: &str, input: Option<Value>) {
    let program: Value = serde_json::from_slice(&read(&format!("cairo0-library/{name}.json"))).unwrap();
    let run = |program: &Value, options: &Options| {
        let loaded = load(&serde_json::to_vec(program).unwrap(), options)?;
        Ok::<_, cairo_run::InputError>(write_prover_input(&loaded.run).unwrap())
    };
    let expected = run(&program, &Options { machine: Machine::Own, ..options(input.clone()) }).unwrap();
    let (mut same, mut refused) = (0, Vec::new());
    for hint in texts(&program) {
        let changed = with_comment(&program, &hint);
        match run(&changed, &Options { machine: Machine::Own, ..options(input.clone()) }) {
            Ok(bytes) => {
                assert!(bytes == expected, "{name}: another run with `{hint}` as Python");
                same += 1;
            }
            Err(error) => refused.push((hint, error.to_string())),
        }
    }
    // They use modules, structures that these programs lack, or what hints of the library keep in Rust alone.
    for (hint, error) in &refused {
        let known = [
            "a hint imports no modules",
            "are not the hint's",
            "NameError: name ",
            "does not say the members",
            "no such variable or constant",
        ];
        assert!(known.iter().any(|known| error.contains(known)), "{name}: `{hint}`: {error}");
    }
    let least = LEAST.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name} is not listed")).1;
    assert!(same >= least, "{name}: {same} hints ran as Python, others not: {refused:#?}");
}

/// Hints of each program that run as Python, at least.
const LEAST: [(&str, usize); 13] = [
    ("arithmetic", 9),
    ("circuit", 5),
    ("collections", 13),
    ("curves", 17),
    ("digests", 22),
    ("ec_op", 6),
    ("integers", 7),
    ("keccak_state", 8),
    ("merkle", 7),
    ("numbers", 8),
    ("outside", 5),
    ("secp256k1", 6),
    ("secp256r1", 5),
];

/// The texts of the hints, each once.
fn texts(program: &Value) -> BTreeSet<String> {
    let hints = program["hints"].as_object().unwrap().values().flat_map(|hints| hints.as_array().unwrap());
    hints.map(|hint| hint["code"].as_str().unwrap().to_owned()).collect()
}

/// The program with a comment behind all hints of a text.
fn with_comment(program: &Value, text: &str) -> Value {
    let mut program = program.clone();
    for hints in program["hints"].as_object_mut().unwrap().values_mut() {
        for hint in hints.as_array_mut().unwrap() {
            if hint["code"] == text {
                hint["code"] = format!("{text}\n# as Python").into();
            }
        }
    }
    program
}
