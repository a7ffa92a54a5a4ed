//! Files that are cut, edited or of another kind: errors, never panics.

use cairo_run::{Kind, Loaded, Options, Problem, load};
use proptest::prelude::*;

use super::files::read;
use super::programs;

fn run(bytes: &[u8], kind: Option<Kind>) -> Result<Loaded, Problem> {
    let options = Options { kind, max_steps: 100_000, ..Options::default() };
    load(bytes, &options).map_err(|error| *error.problem)
}

/// A small file of each kind and form, without white space at its end.
fn files() -> Vec<(Kind, Vec<u8>)> {
    let input = programs::loaded("fib_10").run;
    vec![
        (Kind::Compiled, read("cairo/programs/fib_10.json").trim_ascii_end().to_vec()),
        (Kind::Executable, read("cairo1/programs/fib.executable.json").trim_ascii_end().to_vec()),
        (Kind::ProverInput, bincode1::serialize(&input).unwrap()),
        (Kind::ProverInput, serde_json::to_vec(&input).unwrap()),
    ]
}

#[test]
fn files_that_are_cut() {
    for (kind, bytes) in files() {
        for part in 0..16 {
            let cut = &bytes[..bytes.len() * part / 16];
            assert!(run(cut, Some(kind)).is_err(), "{kind}, cut to {part}/16");
            assert!(run(cut, None).is_err(), "{kind}, cut to {part}/16, detected");
        }
        assert!(run(&bytes[..bytes.len() - 1], None).is_err(), "{kind}, without its last byte");
        let longer = [&bytes[..], b"x"].concat();
        assert!(run(&longer, None).is_err(), "{kind}, with a byte more");
    }
}

#[test]
fn files_of_another_kind() {
    for (kind, bytes) in files() {
        for other in [Kind::Compiled, Kind::Executable, Kind::ProverInput] {
            if other != kind {
                assert!(
                    matches!(run(&bytes, Some(other)), Err(Problem::Malformed { kind, .. }) if kind == other),
                    "{kind} as {other}"
                );
            }
        }
    }
    let unknown = |bytes: &[u8], word: &str| match run(bytes, None) {
        Err(Problem::UnknownKind(text)) => assert!(text.contains(word), "{text}"),
        other => panic!("{other:?}"),
    };
    unknown(b"", "empty");
    unknown(b"{}", "identifiers");
    unknown(b"{\"sierra_program\": []}", "Sierra");
    unknown(b"{\"entry_points_by_type\": {}, \"sierra_program\": []}", "contract");
    unknown(b"{\"data\": [", "JSON");
    // Files that belong elsewhere: their kind, and their place.
    unknown(br#"["0x1", "0x2"]"#, "--args-file");
    unknown(b"12", "no program");
    unknown(br#"{"claim": {}, "stark_proof": {}}"#, "cairo verify");
    unknown(b"BZh91AY&SY", "cairo verify");
    unknown(b"\x89PSTK\r\n\x1a", "`polystark verify`");
    unknown(b"PK\x03\x04 word/document.xml", "zip archive");
    unknown(&read("faults/cairo0/fibonacci_pie.zip"), "CairoPIE");
    unknown(&read("cairo/proofs/fib_10.small.low.bincode"), "cairo verify");
    // A byte-order mark before a text is skipped.
    assert!(run(&[b"\xef\xbb\xbf", &read("cairo/programs/fib_10.json")[..]].concat(), None).is_ok());
    assert!(matches!(run(b"\x7fELF", None), Err(Problem::Malformed { kind: Kind::ProverInput, .. })));
    // A length of 2^63 words, with nothing behind it.
    let mut claim = vec![0; 24];
    claim.extend([0, 0, 0, 0, 0, 0, 0, 0x80]);
    assert!(matches!(run(&claim, None), Err(Problem::Malformed { .. })));
}

/// An error shows the beginning of what others wrote.
#[test]
fn errors_are_short() {
    let long = "x".repeat(1 << 20);
    let word = format!(
        r#"{{"program": {{"bytecode": ["{long}"], "hints": []}}, "entrypoints": [{{"builtins": [],
        "offset": 0, "kind": "Standalone"}}]}}"#
    );
    let builtin = word.replacen("[]}", &format!(r#"["{long}"]}}"#), 1);
    for file in
        [word, builtin, format!(r#"{{"identifiers": "{long}"}}"#), format!(r#"{{"state_transitions": "{long}"}}"#)]
    {
        let said = run(file.as_bytes(), None).unwrap_err().to_string();
        assert!(said.len() < 1200, "{} bytes", said.len());
    }
}

/// The parts that a compiled program must have.
#[test]
fn compiled_programs_without_their_parts() {
    let program: serde_json::Value = serde_json::from_slice(&read("cairo/programs/fib_10.json")).unwrap();
    let edited = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut program = program.clone();
        edit(&mut program);
        match run(&serde_json::to_vec(&program).unwrap(), Some(Kind::Compiled)) {
            Err(Problem::Malformed { why, .. }) => why,
            other => panic!("{other:?}"),
        }
    };
    assert!(edited(&|program| program["prime"] = "0x11".into()).contains("prime"));
    assert!(!edited(&|program| program["data"] = "0x11".into()).is_empty());
    for label in ["__main__.main", "__main__.__start__", "__main__.__end__"] {
        let why = edited(&|program| {
            program["identifiers"].as_object_mut().unwrap().remove(label);
        });
        assert!(why.contains(label.trim_start_matches("__main__.")), "{why}");
    }
    let why = edited(&|program| program["identifiers"]["__main__.__end__"]["pc"] = 1000.into());
    assert!(why.contains("__end__"), "{why}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// One byte is another. The run may still be sound, as when a comment or an unread cell has changed.
    #[test]
    fn files_with_one_byte_changed(file in 0usize..4, position in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let (_, mut bytes) = files().swap_remove(file);
        let position = position.index(bytes.len());
        bytes[position] = byte;
        if let Err(problem) = run(&bytes, None) {
            prop_assert!(!matches!(problem, Problem::Unforeseen(_)), "{problem}");
        }
    }
}
