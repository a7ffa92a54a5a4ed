//! Proofs of Cairo programs: expectations of them, and files that are something else.

use std::fs;

use super::{Folder, vector, verified};
use crate::cli::common::{Ran, json, run, text};

const FIB: &str = "cairo/proofs/fib_10.small.low.bincode";
const HASHES: &str = "cairo1/proofs/hashes.small.low.bincode";

/// `cairo verify` of a stored proof, which has three queries.
fn verify(proof: &str, more: &[&str]) -> Ran {
    run(["cairo", "verify", text(&vector(proof)), "--security", "claimed-0"].iter().chain(more))
}

#[test]
fn a_proof_that_nobody_expected_is_valid_with_a_warning() {
    for (proof, other) in [(FIB, HASHES), (HASHES, FIB)] {
        let ran = verify(proof, &[]);
        assert!(ran.code == 0 && ran.stderr.contains("nothing was expected"), "{ran:?}");
        // The flags that are printed expect this run, and no other.
        let flags = ran.stderr.lines().find_map(|line| line.trim().strip_prefix("--expect-program ")).expect("flags");
        let flags: Vec<&str> = ["--expect-program"].into_iter().chain(flags.split(' ')).collect();
        let ran = verify(proof, &flags);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{flags:?}");
        assert_eq!(verify(other, &flags).code, 1);
        let view = json(&verify(proof, &["--json"]));
        assert_eq!(view["nothing_expected"], true);
        assert_eq!(view["expect_flags"].as_array().expect("a list").len(), 3);
        // An output alone is that of any program.
        let output: Vec<&str> = flags.iter().copied().filter(|flag| flag.starts_with("--expect-output")).collect();
        let ran = verify(proof, &output);
        assert!(ran.code == 0 && ran.stderr.contains("nothing was expected"), "{ran:?}");
    }
}

#[test]
fn a_program_is_expected_by_its_file_or_by_the_flags_of_program_hash() {
    for (program, proof, other) in
        [("cairo/programs/fib_10.json", FIB, HASHES), ("cairo1/programs/hashes.executable.json", HASHES, FIB)]
    {
        let program = vector(program);
        let by_file = ["--expect-program", text(&program)];
        let hash = run(["cairo", "program-hash", text(&program)]);
        let by_flags: Vec<&str> = hash.stdout.split_whitespace().collect();
        for flags in [&by_file[..], &by_flags] {
            let ran = verify(proof, flags);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{flags:?}: {ran:?}");
            assert_eq!(verify(other, flags).code, 1, "{flags:?}");
        }
        let view = json(&run(["cairo", "program-hash", text(&program), "--json"]));
        let flags: Vec<&str> =
            view["expect_flags"].as_array().expect("a list").iter().filter_map(|flag| flag.as_str()).collect();
        assert_eq!(flags.join(" "), hash.stdout.trim());
        // The builtins of the file are expected with it.
        let others = [&by_file[..], &["--expect-builtins", "output"]].concat();
        assert_eq!(verify(proof, &others).code, 2);
    }
    for wrong in ["no-such-file", "0xg", text(&vector(FIB))] {
        let ran = verify(FIB, &["--expect-program", wrong]);
        assert!(ran.code == 2 && ran.stderr.contains(wrong), "{ran:?}");
    }
}

#[test]
fn an_output_is_expected_by_its_values_or_by_a_file() {
    let folder = Folder::new();
    let file = folder.at("output");
    fs::write(&file, "[\"0x90\"]").expect("there is room");
    let with = |output: &str| verify(FIB, &["--expect-output", output]).code;
    let negative = "-3618502788666131213697322783095070105623107215331596699973092056135872020337";
    for same in ["144", "0x90", " 0x0090", negative, &file] {
        assert_eq!(with(same), 0, "{same}");
    }
    for other in ["145", "-144", "144,0", "", "0x90,0x90"] {
        assert_eq!(with(other), 1, "{other}");
    }
    for wrong in ["144,", "0x", "no-such-file"] {
        assert_eq!(with(wrong), 2, "{wrong}");
    }
}

#[test]
fn files_that_are_no_proof_are_called_what_they_are() {
    let folder = Folder::new();
    let own = folder.own("own", 64);
    let bytes = fs::read(vector(FIB)).expect("a vector");
    use ::polystark::cairo::file::{Format, decode, encode};
    let suite = ::polystark::circle_proof::Suite::Blake2s;
    let (proof, _) = decode::<::polystark::cairo::Proof>(&bytes, 1 << 20, suite).expect("a proof");
    let stored = |name: &str, bytes: &[u8]| {
        fs::write(folder.at(name), bytes).expect("there is room");
        folder.at(name)
    };
    let [binary, as_json] =
        [Format::Binary, Format::Json].map(|format| encode(&proof, format, suite).expect("it can be written"));
    let cairo = [
        stored("bincode", &bytes),
        stored("binary", &binary),
        stored("json", &as_json),
        stored("cut bincode", &bytes[..1000]),
        stored("cut binary", &binary[..1000]),
        stored("cut json", &as_json[..1000]),
    ];
    let other = |verb: &[&str], file: &str, needed: &str| {
        let ran = run(verb.iter().chain(&[file]));
        assert!(ran.code == 2 && ran.stderr.contains(needed), "{verb:?} {file}: {ran:?}");
    };
    for file in &cairo {
        for verb in ["verify", "inspect"] {
            other(&[verb], file, &format!("polystark cairo {verb} {file}"));
        }
        other(&["security"], file, "polystark cairo inspect");
    }
    for verb in ["verify", "inspect"] {
        other(&["cairo", verb], &own, &format!("polystark {verb} {own}"));
        let program = vector("cairo/programs/fib_10.json");
        let executable = vector("cairo1/programs/fib.executable.json");
        for words in [&[verb][..], &["cairo", verb]] {
            other(words, &folder.at("own.air"), "--air-file");
            other(words, &folder.at("own.npy"), "--trace-file");
            other(words, text(&program), "a compiled Cairo program");
            other(words, text(&executable), "an executable of Cairo 1");
            // `cairo inspect` shows one.
            if words != ["cairo", "inspect"] {
                other(words, text(&vector("faults/cairo0/fibonacci_pie.zip")), "a CairoPIE");
            }
            other(words, &stored("serde", b"[\n  \"0x1\"\n]"), "cairo-serde");
            other(words, &stored("text", b"This is not a proof."), "");
        }
    }
    // A file that begins as a proof and breaks off is an invalid one, for the verifier that it is for.
    assert_eq!(verified(&stored("cut", &fs::read(&own).expect("a proof")[..100]), &[]).0, 1);
    for file in &cairo[3..] {
        assert_eq!(run(["cairo", "verify", file]).code, 1, "{file}");
    }
}

/// Refused in less time than a proof of anything takes.
#[test]
fn what_is_known_before_is_refused_before() {
    let folder = Folder::new();
    let three = vector("cairo1/programs/hashes.executable.json");
    let all = vector("cairo/programs/fib_10.json");
    let list = folder.at("list");
    let line = |program: &str, output: &str| format!("{{\"program\": \"{program}\", \"output\": \"{output}\"}}\n");
    fs::write(&list, line(text(&all), "first") + &line(text(&three), "second")).expect("there is room");
    let serde = ["--format", "cairo-serde"];
    let blowup = ["--log-blowup", "2"];
    let lifting = ["--lifting", "24"];
    for (how, more, code, needed) in [
        (&[text(&three), "-o", &folder.at("proof")][..], &serde[..], 2, "all eleven builtins"),
        (&["--batch", &list], &serde, 2, "line 2: "),
        (&[text(&all), "-o", &folder.at("proof")], &blowup, 4, "--preprocessed-root any admits it"),
        (&["--batch", &list], &blowup, 4, "--preprocessed-root any admits it"),
        (&["--batch", &list], &lifting, 4, "--preprocessed-root any admits it"),
        // The flag admits only unknown roots.
        (&[text(&three), "-o", &folder.at("proof"), "--preprocessed-root", "any"], &["--log-blowup", "0"], 2, "2^0"),
    ] {
        let start = std::time::Instant::now();
        let ran = run(["cairo", "prove"].iter().chain(how).chain(more));
        assert!(ran.code == code && ran.stderr.contains(needed), "{how:?} {more:?}: {ran:?}");
        assert!(start.elapsed().as_secs() < 5, "{how:?} {more:?}: {:?}", start.elapsed());
    }
    for name in ["proof", "first", "second"] {
        assert!(!fs::exists(folder.at(name)).expect("a folder"));
    }
}

/// Before a server is asked: there is none.
#[test]
fn a_job_that_nobody_would_take_is_not_submitted() {
    let program = vector("cairo/programs/fib_10.json");
    for (more, needed) in [
        (&["--word", "log-blowup=2"][..], "--preprocessed-root any admits it"),
        (&["--word", "format=cairo-serde"], "cannot be read again"),
    ] {
        let ran = run(["farm", "submit-cairo", text(&program)].iter().chain(more));
        assert!(ran.code == 2 && ran.stderr.contains(needed), "{more:?}: {ran:?}");
    }
}
