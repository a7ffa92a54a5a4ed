//! 0 proven or valid, 1 invalid proof, 2 bad usage or input, 3 device trouble, 4 refused by policy.

use std::process::Stdio;

use polystark::goldilocks_proof::AnyProofFile;

use super::common::{Proved, command, json, ran, run, text, words};

#[test]
fn what_is_proven_or_valid_ends_with_0() {
    let proved = Proved::small();
    let ran = run(["verify", text(&proved.file)]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for needed in ["valid", "fibonacci-rap", "64 (2^6)", "steps=20", "88 queries", "bits", "keccak256"] {
        assert!(ran.stdout.contains(needed), "{needed}: {}", ran.stdout);
    }
    for line in ["airs", "backends", "help", "--version", "prove --help"] {
        assert_eq!(words(line, &[]).code, 0, "{line}");
    }
    assert_eq!(run(["inspect", text(&proved.file)]).code, 0);
}

#[test]
fn every_air_is_proven_and_verified_under_the_default_policy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let airs = json(&words("airs --json", &[]));
    let airs = airs["airs"].as_array().unwrap();
    assert_eq!(airs.len(), 9);
    for air in airs {
        let name = air["name"].as_str().unwrap();
        let mut arguments = vec!["prove", "--air", name, "--rows", "64", "-o", text(&file)];
        for (parameter, value) in [("width", "width=3"), ("degree", "degree=8")] {
            if air["parameters"].as_array().unwrap().iter().any(|known| known["name"] == parameter) {
                arguments.extend(["--param", value]);
            }
        }
        for hash in ["keccak256", "poseidon2"] {
            let with_hash = [arguments.as_slice(), &["--format", "lambdaworks", "--hash", hash]].concat();
            let ran = run(&with_hash);
            assert_eq!(ran.code, 0, "{name}: {ran:?}");
            let ran =
                run(["verify", text(&file), "--expect-air", name, "--expect-hash", hash, "--expect-seed", "default"]);
            assert_eq!(ran.code, 0, "{name}: {ran:?}");
        }
    }
}

#[test]
fn invalid_proofs_end_with_1() {
    let proved = Proved::small();
    let bytes = proved.bytes();
    let code = |bytes: &[u8]| run(["verify", text(&proved.sibling(bytes))]).code;
    let mut changed = bytes.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    assert_eq!(code(&changed), 1, "a changed byte");
    assert_eq!(code(&[bytes.as_slice(), &[0]].concat()), 1, "a byte too many");
    assert_eq!(code(&bytes), 0);
}

/// Wherever the file was cut, it is called truncated; in the proof, which is last, the number of missing bytes is known
/// exactly.
#[test]
fn truncated_files_are_called_that() {
    let proved = Proved::small();
    let bytes = proved.bytes();
    for length in [1, 7, 8, 9, 40, 200, bytes.len() / 2, bytes.len() - 1] {
        let ran = run(["verify", text(&proved.sibling(&bytes[..length]))]);
        assert_eq!(ran.code, 1, "{length}: {ran:?}");
        assert!(ran.stderr.contains("truncated"), "{length}: {ran:?}");
        if length > bytes.len() / 3 {
            let missing = bytes.len() - length;
            let where_and_how_much = format!("it ends at byte {length}, at least {missing} more are missing");
            assert!(ran.stderr.contains(&where_and_how_much), "{ran:?}");
        }
    }
}

/// All that was proven flows together in the transcript, so a false statement shows as a nonce or a composition that is
/// wrong.
#[test]
fn a_proof_of_another_statement_is_not_called_a_bad_nonce_alone() {
    for (grinding, shows) in [("16", "bits of work"), ("0", "composition")] {
        let prove = format!(
            "prove --format lambdaworks --air fibonacci-rap --rows 64 --param steps=20 --queries 60 --grinding {grinding} \
             --security claimed-0"
        );
        let proved = Proved::new(&prove);
        let mut file = AnyProofFile::decode(&proved.bytes()).unwrap();
        file.parameters.insert("steps".to_owned(), 21);
        let changed = proved.sibling(&file.encode().unwrap());
        let ran = run(["verify", text(&changed), "--security", "conjectured-0"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let other = "it is of another statement or of other public inputs";
        assert!(ran.stderr.contains(shows) && ran.stderr.contains(other), "{ran:?}");
    }
}

#[test]
fn rows_have_three_forms_and_an_air_its_protocol() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for (line, protocol) in
        [("quadratic --rows 2^6 --grinding 1", "goldilocks"), ("plonk --rows 6_4 --pow-bits 1", "circle")]
    {
        let line = format!("prove --json --queries 3 --security claimed-0 --backend cpu-reference --air {line}");
        let view = json(&words(&line, &["-o", text(&file)]));
        assert_eq!((&view["statement"]["protocol"], &view["statement"]["rows"]), (&protocol.into(), &64.into()));
        let verify = ["verify", text(&file), "--min-security-bits", "0", "--max-bytes", "2^20", "--expect-rows"];
        assert_eq!(run(verify.into_iter().chain(["0x4_0"])).code, 0);
        assert_eq!(run(verify.into_iter().chain(["2^7"])).code, 1);
    }
    let unknown = words("prove --air no-such-air --rows 64", &["-o", text(&file)]);
    assert!(unknown.stderr.contains("of goldilocks: ") && unknown.stderr.contains("of circle: "), "{unknown:?}");
    let refused = run(["verify", text(&file), "--max-bytes", "2^8"]);
    assert_eq!(refused.code, 4, "{refused:?}");
}

#[test]
fn weak_proofs_are_refused_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weak");
    let line = "prove --air quadratic --rows 64 --queries 3 --grinding 1 --blowup 4";
    let refused = words(line, &["-o", text(&file)]);
    assert_eq!((refused.code, file.exists()), (4, false), "{refused:?}");
    let made = words(line, &["-o", text(&file), "--security", "claimed-0"]);
    assert_eq!(made.code, 0, "{made:?}");
    assert!(made.stderr.contains("--security provable-"), "the maker is told: {made:?}");
    let refused = run(["verify", text(&file)]);
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains("100 are required"), "{refused:?}");
    assert_eq!(run(["verify", text(&file), "--min-security-bits", "1"]).code, 0);
}

#[test]
fn bad_usage_and_bad_input_end_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let file = text(&file);
    let prove = |line: &str| words(line, &["-o", file]).code;
    for line in [
        "prove --air no-such-air --rows 64",
        "prove --air quadratic --rows 63",
        "prove --air quadratic --rows 2",
        "prove --air quadratic --rows 0",
        "prove --air quadratic --rows many",
        "prove --air quadratic --rows 8589934592",
        "prove --air quadratic --rows 64 --param steps=3",
        "prove --air fibonacci-rap --rows 64 --param steps=64",
        "prove --air fibonacci-rap --rows 64 --param steps=3 --param steps=3",
        "prove --air fibonacci-rap --rows 64 --param steps",
        "prove --air wide --rows 64 --param width=2",
        "prove --air wide --rows 64 --param width=2 --param degree=9",
        "prove --air wide --rows 64 --param width=2 --param degree=8 --blowup 2",
        "prove --air quadratic --rows 64 --blowup 3",
        "prove --air quadratic --rows 64 --blowup 256",
        "prove --air quadratic --rows 64 --queries 0",
        "prove --air quadratic --rows 64 --queries 65537",
        "prove --air quadratic --rows 64 --queries 4294967295",
        "prove --air quadratic --rows 64 --grinding 65",
        "prove --air quadratic --rows 64 --coset-offset 0",
        "prove --air quadratic --rows 64 --coset-offset 1",
        "prove --air quadratic --rows 64 --coset-offset 18446744069414584324",
        "prove --air quadratic --rows 64 --coset-offset -3",
        "prove --air quadratic --rows 64 --hash sha256",
        "prove --air quadratic --rows 64 --transcript-seed xyz",
        "prove --air quadratic --rows 64 --backend abacus",
        "prove --air quadratic --rows 64 --threads 0",
        "prove --air quadratic --rows 64 --no-such-flag",
        "prove --rows 64",
        "prove --air quadratic --rows 4294967296 --blowup 4",
    ] {
        assert_eq!(prove(line), 2, "{line}");
    }
    assert!(!std::path::Path::new(file).exists());
    for line in [
        "",
        "no-such-command",
        "verify",
        "verify /no/such/file",
        "verify x --security free",
        "verify x --security provable-",
        "verify x --security provable-90 --min-security-bits 90",
        "prove --air quadratic --rows 64 -o x --security provable-129",
        "security",
        "security --air quadratic",
        "security x --air quadratic --rows 64",
        "inspect /no/such/file",
        "verify /",
    ] {
        assert_eq!(words(line, &[]).code, 2, "{line}");
    }
    let text_file = folder.path().join("text");
    std::fs::write(&text_file, "This is not a proof.").unwrap();
    assert_eq!(run(["verify", text(&text_file)]).code, 2);
    assert_eq!(run(["inspect", text(&text_file)]).code, 2);
    assert_eq!(words("prove --air quadratic --rows 64 -o /no/such/folder/file", &[]).code, 2);
    assert_eq!(words("prove --air quadratic --rows 64 -o /", &[]).code, 2);
    let same = words("prove --air quadratic --rows 64", &["-o", file, "--raw", file]);
    assert_eq!(same.code, 2, "{same:?}");
    let log = command().args(["airs"]).env("RUST_LOG", "a=b=c").output().unwrap();
    assert_eq!(ran(log).code, 2);
    assert_eq!(words("airs --trace /no/such/folder/file", &[]).code, 2);
}

#[test]
fn a_statement_that_is_too_large_ends_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for backend in ["cpu", "cpu-reference"] {
        // 2^29 rows of 1000 columns: thousands of GiB.
        let line = "prove --air wide --param width=1000 --param degree=2 --rows 536870912";
        let ran = words(line, &["--backend", backend, "-o", text(&file)]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("bytes"), "{ran:?}");
        assert!(!file.exists());
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    for line in ["airs", "backends", "help", "airs --json"] {
        let mut child = command().args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}");
    }
}
