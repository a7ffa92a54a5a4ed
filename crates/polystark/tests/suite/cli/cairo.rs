//! `polystark cairo` on proofs of the reference: their digests equal the vectors.

use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use super::common::{Ran, json, run, text};

fn vectors(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path)
}

/// A proof of `fib_10`, whose program takes all eleven builtins, with three queries and five bits of work.
fn fib_10() -> PathBuf {
    vectors("cairo/proofs/fib_10.small.low.bincode")
}

/// A proof of a program that takes three builtins.
fn hashes() -> PathBuf {
    vectors("cairo1/proofs/hashes.small.low.bincode")
}

fn verify(file: &std::path::Path, more: &[&str]) -> Ran {
    run(["cairo", "verify", text(file)].iter().chain(more))
}

/// Takes three queries.
const ANY: [&str; 2] = ["--min-security-bits", "0"];

fn verify_any(file: &std::path::Path, more: &[&str]) -> Ran {
    verify(file, &[&ANY, more].concat())
}

fn scratch(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, bytes).unwrap();
    (folder, file)
}

#[test]
fn a_proof_says_what_was_proven() {
    let ran = verify_any(&fib_10(), &["--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let view = json(&ran);
    assert_eq!((&view["status"], &view["format"]), (&"valid".into(), &"bincode".into()));
    assert_eq!(view["statement"]["output"], Value::from(vec!["0x90"]));
    assert_eq!(view["statement"]["builtins"].as_array().unwrap().len(), 11);
    assert_eq!(view["options"]["preprocessed"], "canonical-small");
    assert_eq!(view["security"]["claimed_bits"], 8);
    let vector: Value =
        serde_json::from_slice(&std::fs::read(vectors("cairo/vectors/fib_10.small.json")).unwrap()).unwrap();
    assert_eq!(view["proof"]["sha256"], vector["proofs"]["low"]["proof_bincode1_sha256"]);
    let ran = run(["cairo", "inspect", text(&fib_10()), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let inspected = json(&ran);
    assert_eq!(inspected["status"], "not verified");
    for part in ["statement", "options", "proof", "format"] {
        assert_eq!(inspected[part], view[part], "{part}");
    }
    assert_eq!(inspected["claimed_security"], view["security"]);
}

#[test]
fn a_program_is_expected_by_the_hash_of_its_file() {
    let hash = |file: &str| {
        let ran = run(["cairo", "program-hash", text(&vectors(file)), "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let view = json(&ran);
        let builtins: Vec<&str> =
            view["builtins"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        (view["program_hash"].as_str().unwrap().to_owned(), builtins.join(","))
    };
    let (all, _) = hash("cairo/programs/fib_10.json");
    assert_eq!(verify_any(&fib_10(), &["--expect-program", &all]).code, 0);
    let (three, builtins) = hash("cairo1/programs/hashes.executable.json");
    assert_eq!(verify_any(&fib_10(), &["--expect-program", &three]).code, 1);
    assert_eq!(verify_any(&hashes(), &["--expect-program", &three, "--expect-builtins", &builtins]).code, 0);
    // The program does not say which of the eleven the three are.
    let ran = verify_any(&hashes(), &["--expect-program", &three]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(&builtins), "{ran:?}");
    assert_eq!(verify_any(&hashes(), &["--expect-builtins", "output"]).code, 1);
    assert_eq!(verify_any(&hashes(), &["--expect-builtins", "sha256"]).code, 2);
    assert_eq!(run(["cairo", "program-hash", text(&fib_10())]).code, 2);
}

#[test]
fn an_output_is_expected() {
    let with = |felts: &str| {
        let (_folder, file) = scratch(felts.as_bytes());
        verify_any(&fib_10(), &["--expect-output", text(&file)]).code
    };
    assert_eq!(with("[\"0x90\"]"), 0);
    assert_eq!(with("[\"144\"]"), 0);
    assert_eq!(with("[\"145\"]"), 1);
    assert_eq!(with("[144]"), 0);
    assert_eq!(with("\u{feff}[ 144 ]\n"), 0);
    assert_eq!(with("[145]"), 1);
    assert_eq!(with("[\"-1\"]"), 1);
    assert_eq!(with("[]"), 1);
    for bad in ["", "[0x90]", "[\"0xg\"]", "[1.5]", "{}"] {
        assert_eq!(with(bad), 2, "{bad}");
    }
}

#[test]
fn policies_refuse_with_a_code_of_their_own() {
    let ran = verify(&fib_10(), &[]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("--security claimed-8 admits it"), "{ran:?}");
    assert_eq!(verify(&fib_10(), &["--security", "claimed-8"]).code, 0);
    assert_eq!(verify_any(&fib_10(), &["--expect-preprocessed", "canonical"]).code, 4);
    assert_eq!(verify_any(&fib_10(), &["--max-bytes", "1000"]).code, 4);
    assert_eq!(verify_any(&fib_10(), &["--preprocessed-root", &"00".repeat(32)]).code, 1);
    assert_eq!(verify_any(&fib_10(), &["--preprocessed-root", "00"]).code, 2);
    let root = "068d1166c9f9f0ec247641ca391ee8396170e69343dfcacc632f9638670d2bec";
    assert_eq!(verify_any(&fib_10(), &["--preprocessed-root", root]).code, 0);
}

#[test]
fn what_is_no_proof_is_refused() {
    let bytes = std::fs::read(fib_10()).unwrap();
    let code = |bytes: &[u8]| {
        let (_folder, file) = scratch(bytes);
        (verify_any(&file, &[]).code, run(["cairo", "inspect", text(&file)]).code)
    };
    assert_eq!(code(b""), (1, 1));
    assert_eq!(code(b"{}"), (1, 1));
    assert_eq!(code(b"BZh9"), (1, 1));
    assert_eq!(code(b"[\"0x1\"]"), (2, 2));
    assert_eq!(code(&bytes[..bytes.len() - 1]), (1, 1));
    assert_eq!(code(&[&bytes[..], b"1"].concat()), (1, 1));
    // The last byte of the salt: still a proof to look at.
    let mut changed = bytes.clone();
    let at = changed.len() - 5;
    changed[at] ^= 1;
    assert_eq!(code(&changed), (1, 0));
    assert_eq!(verify_any(&vectors("cairo/proofs/none"), &[]).code, 2);
}

#[test]
fn a_proof_is_the_same_whatever_is_kept() {
    let of_prefixes = proof_that_keeps("prefixes");
    let of_sources = proof_that_keeps("sources");
    // Main and lookup columns are made again for every round, not for the lookups alone.
    assert!(of_sources > of_prefixes, "{of_sources} {of_prefixes}");
    assert_eq!(run(["cairo", "run", text(&vectors("cairo/programs/fib_10.json")), "--keep", "rows"]).code, 2);
}

/// Extensions are made again for the composition, the quotient and the openings: of all columns but the preprocessed
/// ones. Returns how many cells of rows are.
fn proof_that_keeps(keep: &str) -> u64 {
    let (_folder, file) = scratch(&[]);
    let how = ["--queries", "3", "--pow-bits", "5", "--keep", keep, "--backend", "cpu", "--json"];
    let program = vectors("cairo/programs/fib_10.json");
    let planned = json(&run(["cairo", "run", text(&program)].iter().chain(&how)));
    assert_eq!(planned["keep"], keep);
    assert_eq!(planned["remade_extended"], 3 * 2 * planned["cells"].as_u64().unwrap());
    let prove = ["cairo", "prove", text(&program), "--format", "bincode", "-o", text(&file)];
    // Verifiers would refuse it, which is known before the run.
    let refused = run(prove.iter().chain(&how));
    assert_eq!((refused.code, std::fs::read(&file).unwrap().len()), (4, 0), "{refused:?}");
    assert!(refused.stderr.contains("--security claimed-8 admits it"), "{refused:?}");
    let ran = run(prove.iter().chain(&how).chain(&["--security", "claimed-8"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    let view = json(&ran);
    for name in ["keep", "remade_rows", "remade_extended", "device_peak_bytes"] {
        assert_eq!(view[name], planned[name], "{name}");
    }
    assert!(std::fs::read(&file).unwrap() == std::fs::read(fib_10()).unwrap());
    planned["remade_rows"].as_u64().unwrap()
}

/// By flags, and by the file of parameters that a proof is inspected into.
#[test]
fn all_preprocessed_columns_are_sampled_if_that_is_asked_for() {
    let (folder, file) = scratch(&[]);
    let (program, params) = (vectors("cairo/programs/fib_10.json"), folder.path().join("params"));
    let prove = ["cairo", "prove", text(&program), "--backend", "cpu", "-o", text(&file), "--json"];
    let how = ["--queries", "3", "--pow-bits", "5", "--fold-step", "4", "--channel", "blake2s_m31"];
    let all = ["--preprocessed-samples", "all", "--security", "claimed-8"];
    // The domain is lower than the columns of that variant.
    let low = ["--preprocessed", "canonical-without-pedersen", "--preprocessed-samples", "all"];
    let low = run(["cairo", "run", text(&program), "--backend", "cpu"].iter().chain(&low));
    assert!(low.code == 2 && low.stderr.contains("set lifting_log_size to 26"), "{low:?}");
    let lifted = ["--lifting", "21", "--preprocessed-root", "any"];
    let ran = run(prove.iter().chain(&how).chain(&all).chain(&lifted));
    assert_eq!(ran.code, 0, "{ran:?}");
    let vector = vectors("cairo/channels/fib_10.blake2s_m31.all_fold4_lift21.json");
    let vector: Value = serde_json::from_slice(&std::fs::read(vector).unwrap()).unwrap();
    let view = json(&ran);
    assert_eq!(view["proof"]["sha256"], vector["proof"]["proof_bincode1_sha256"]);
    assert_eq!(view["options"]["preprocessed_samples"], "all");

    let channel = ["--channel", "blake2s_m31"];
    let root = vector["proof"]["roots"][0].as_str().unwrap();
    let told = [&channel[..], &["--preprocessed-root", root]].concat();
    let refused = verify_any(&file, &told);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.contains("--preprocessed-samples all admits it"), "{refused:?}");
    let told = [&told[..], &["--preprocessed-samples", "all"]].concat();
    assert_eq!(verify_any(&file, &told).code, 0);
    let other = verify_any(&fib_10(), &["--preprocessed-samples", "all"]);
    assert!(other.code == 4 && other.stderr.contains("--preprocessed-samples read admits it"), "{other:?}");

    let inspected =
        run(["cairo", "inspect", text(&file), "--json", "--params-out", text(&params)].iter().chain(&channel));
    assert_eq!(json(&inspected)["prover_parameters"]["include_all_preprocessed_columns"], true);
    let planned = run(["cairo", "run", text(&program), "--backend", "cpu", "--params", text(&params), "--json"]);
    assert_eq!(json(&planned)["options"], view["options"], "{planned:?}");
    assert_eq!(json(&planned)["device_peak_bytes"], view["device_peak_bytes"]);
}

#[test]
fn what_cannot_be_proven_is_refused_before_any_work() {
    let prove = |program: &str, more: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("proof");
        let program = vectors(program);
        let arguments = ["cairo", "prove", text(&program), "--backend", "cpu", "-o", text(&output)];
        let ran = run(arguments.iter().chain(more));
        assert!(!output.exists());
        ran
    };
    for (program, more) in [
        ("cairo/programs/none.json", &[][..]),
        ("cairo/programs/fib_10.json", &["--args", "1"]),
        ("cairo/programs/fib_10.json", &["--program-type", "executable"]),
        ("cairo/programs/fib_10.json", &["--preprocessed", "small"]),
        ("cairo/programs/fib_10.json", &["--pow-bits", "33"]),
        ("cairo/programs/fib_10.json", &["--max-steps", "10"]),
        ("cairo/programs/ec_op_3.json", &["--preprocessed", "canonical-small"]),
        ("cairo1/programs/fib.executable.json", &["--args", "x"]),
    ] {
        let ran = prove(program, more);
        assert_eq!(ran.code, 2, "{program} {more:?}: {ran:?}");
    }
}
