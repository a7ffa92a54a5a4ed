//! The Circle protocol from the command line.

use golden::circle::digests;
use polystark::circle_proof::ProofFile;
use sha2::{Digest, Sha256};

use super::common::{Proved, json, run, text, words};

/// A small proof that meets the default policy.
const SMALL: &str = "prove --protocol circle --air plonk --rows 32 --param v0=3 --backend cpu-reference --pow-bits 10 \
                     --queries 139 --log-blowup 2 --fold-step 2 --log-last 0";

fn small() -> Proved {
    Proved::new(&SMALL.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The golden cases of at most `2^most` trace rows; returns how many there are.
fn check_digests(backend: &str, threads: &str, most: u32) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (file, raw) = (folder.path().join("file"), folder.path().join("raw"));
    let cases: Vec<_> = digests().into_iter().filter(|case| case.log_rows <= most).collect();
    for case in &cases {
        let (name, options) = (&case.name, case.options);
        let statement = |expect: &str| {
            let lifting = options.lifting.map_or("none".to_owned(), |log| log.to_string());
            format!(
                " --{expect}air {} --{expect}rows {} --{expect}pow-bits {} --{expect}log-blowup {} --{expect}queries {} \
                 --{expect}fold-step {} --{expect}log-last {} --{expect}lifting {lifting} --{expect}protocol circle",
                case.air.name(),
                1u64 << case.log_rows,
                options.pow_bits,
                options.log_blowup,
                options.queries,
                options.fold_step,
                options.log_last
            )
        };
        let prove = format!("prove --security claimed-0 --backend {backend} --threads {threads}") + &statement("");
        let params: Vec<String> = case.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut arguments: Vec<&str> = prove.split_whitespace().collect();
        arguments.extend(["-o", text(&file), "--raw", text(&raw)]);
        arguments.extend(params.iter().flat_map(|param| ["--param", param]));
        let ran = run(&arguments);
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
        let proof = std::fs::read(&raw).unwrap();
        assert_eq!(proof.len(), case.length, "{name}");
        assert_eq!(hex::encode(Sha256::digest(&proof)), case.sha256, "{name}");

        let verify = statement("expect-");
        let mut arguments = vec!["verify", text(&file), "--min-security-bits", "0"];
        arguments.extend(verify.split_whitespace());
        let ran = run(&arguments);
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
    }
    cases.len()
}

#[test]
fn bare_proofs_of_the_cpu_are_the_reference_s() {
    assert_eq!(check_digests("cpu", "1", 16), 14);
    assert_eq!(check_digests("cpu", "2", 16), 14);
}

/// The statements that it proves in a moment.
#[test]
fn bare_proofs_of_the_plain_backend_are_the_reference_s() {
    assert_eq!(check_digests("cpu-reference", "1", 10), 7);
}

#[test]
fn every_air_is_proven_with_default_options() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let airs = json(&words("airs --json", &[]));
    let airs = airs["circle_airs"].as_array().unwrap();
    assert!(airs.len() >= 4);
    for air in airs {
        let name = air["name"].as_str().unwrap();
        let mut arguments = vec!["prove", "--protocol", "circle", "--air", name, "--rows", "64", "--json"];
        arguments.extend(["--backend", "cpu-reference", "-o", text(&file)]);
        if air["parameters"].as_array().unwrap().iter().any(|known| known["name"] == "table") {
            arguments.extend(["--param", "table=6"]);
        }
        let verify = |more: &[&str]| run([&["verify", text(&file), "--expect-air", name], more].concat());
        // Combining as many columns as BLAKE2s has costs more of the field than 100 bits leave: nothing is proven that
        // verifiers refuse.
        let mut ran = run(&arguments);
        let expected = if name == "blake2s" { 4 } else { 0 };
        assert_eq!(ran.code, expected, "{name}: {ran:?}");
        if expected == 4 {
            let (_, most) = ran.stderr.split_once("--security ").expect("a flag");
            arguments.extend(["--security", most.split_whitespace().next().expect("a profile")]);
            ran = run(&arguments);
            assert_eq!(ran.code, 0, "{name}: {ran:?}");
        }
        let made = json(&ran);
        let ran = verify(&[]);
        assert_eq!((ran.code, &made["accepted_by_default"]), (expected, &(expected == 0).into()), "{name}: {ran:?}");
        let most = format!("provable-{}", made["security"]["provable_bits"]);
        if expected == 4 {
            assert!(made["refusals"][0].as_str().unwrap().contains(&format!("--security {most} admits it")), "{made}");
            assert!(ran.stderr.contains(&format!("--security {most} admits it")), "{ran:?}");
        }
        let ran = verify(&["--security", &most]);
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
    }
}

#[test]
fn a_trace_that_the_device_makes_gives_the_same_proof() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let line = "prove --json --protocol circle --air plonk --rows 64 --pow-bits 1 --backend cpu-reference";
    let digest = |origin: &str| {
        let made = json(&words(line, &["--trace-from", origin, "-o", text(&file)]));
        assert_eq!(made["trace"], origin, "{made}");
        assert!(made["device_peak_bytes"].as_u64().unwrap() > 0);
        made["proof"]["sha256"].clone()
    };
    assert_eq!(digest("device"), digest("upload"));
}

/// The channel is a verifier's choice: a file says it, and is refused where another is taken, by the name of the flag.
#[test]
fn a_channel_is_proven_shown_and_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let line = "prove --json --protocol circle --air plonk --rows 64 --backend cpu-reference --channel blake2s_m31";
    let made = json(&words(line, &["-o", text(&file)]));
    assert_eq!(made["statement"]["options"]["channel"], "blake2s_m31", "{made}");
    assert!(made["refusals"][0].as_str().unwrap().contains("--channel blake2s_m31 admits it"), "{made}");
    let inspected = json(&run(["inspect", "--json", text(&file)]));
    assert_eq!(inspected["statement"], made["statement"]);
    assert!(run(["inspect", text(&file)]).stdout.contains("lifting none, channel blake2s_m31"));
    assert!(run(["security", text(&file)]).stdout.contains("channel blake2s_m31"));
    let ran = run(["verify", text(&file)]);
    assert!(ran.code == 4 && ran.stderr.contains("--channel blake2s_m31 admits it"), "{ran:?}");
    assert_eq!(run(["verify", "--channel", "blake2s_m31", text(&file)]).code, 0);
    assert_eq!(run(["verify", "--channel", "blake2s_m31", text(&small().file)]).code, 4);
    let ran = words("prove --protocol circle --air plonk --rows 64 --channel sha256", &["-o", text(&file)]);
    assert!(ran.code == 2 && ran.stderr.contains("sha256") && ran.stderr.contains("blake2s_m31"), "{ran:?}");
}

#[test]
fn json_says_what_was_proven() {
    let proved = small();
    let verified = json(&run(["verify", "--json", text(&proved.file)]));
    assert_eq!(verified["status"], "valid");
    let statement = &verified["statement"];
    assert_eq!(statement["protocol"], "circle");
    assert_eq!((&statement["air"], &statement["rows"]), (&"plonk".into(), &32.into()));
    assert_eq!(statement["parameters"], serde_json::json!({"v0": 3, "v1": 1}));
    assert_eq!(statement["public_inputs"], serde_json::json!(["3", "5", "3", "1"]));
    assert_eq!(statement["claimed_sums"].as_array().unwrap().len(), 1);
    let options = serde_json::json!({
        "pow_bits": 10, "log_blowup": 2, "queries": 139, "fold_step": 2, "log_last": 0, "lifting": null,
        "channel": "blake2s"
    });
    assert_eq!(statement["options"], options);
    assert_eq!(verified["security"]["provable_bits"], 100);
    assert_eq!(verified["security_kind"], "provable");

    let inspected = json(&run(["inspect", "--json", text(&proved.file)]));
    assert_eq!(inspected["status"], "not verified");
    assert_eq!(inspected["statement"], *statement);
    assert_eq!(inspected["claimed_security"], verified["security"]);
    assert_eq!(inspected["contents"]["columns"], serde_json::json!([4, 5, 12, 8]));
    for command in ["verify", "inspect"] {
        let ran = run([command, text(&proved.file)]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for needed in ["plonk", "32 (2^5)", "v0=3, v1=1", "3, 5, 3, 1", "blowup 2^2, 139 queries", "100 bits"] {
            assert!(ran.stdout.contains(needed), "{needed}: {}", ran.stdout);
        }
    }
}

#[test]
fn expectations_are_compared() {
    let proved = small();
    let code = |arguments: &[&str]| run([&["verify", text(&proved.file)], arguments].concat()).code;
    for (name, right, wrong) in [
        ("--expect-protocol", "circle", "goldilocks"),
        ("--expect-air", "plonk", "fibonacci"),
        ("--expect-rows", "32", "64"),
        ("--expect-param", "v0=3", "v0=4"),
        ("--expect-public", "3,5,3,1", "3,5,3,2"),
        ("--expect-log-blowup", "2", "1"),
        ("--expect-queries", "139", "140"),
        ("--expect-pow-bits", "10", "11"),
        ("--expect-fold-step", "2", "1"),
        ("--expect-log-last", "0", "1"),
        ("--expect-lifting", "none", "7"),
    ] {
        assert_eq!(code(&[name, right]), 0, "{name} {right}");
        assert_eq!(code(&[name, wrong]), 1, "{name} {wrong}");
    }
    // A property that only proofs of the other protocol have is not met.
    assert_eq!(code(&["--expect-hash", "keccak256"]), 1);
    assert_eq!(code(&["--expect-public", "4294967296"]), 2);
}

#[test]
fn every_field_of_the_file_counts() {
    let proved = small();
    let original = ProofFile::decode(&proved.bytes()).unwrap();
    let code = |bytes: &[u8]| run(["verify", text(&proved.sibling(bytes)), "--min-security-bits", "0"]).code;
    let changed = |change: fn(&mut ProofFile)| {
        let mut file = original.clone();
        change(&mut file);
        assert_ne!(file, original);
        code(&file.encode().unwrap())
    };
    assert_eq!(changed(|f| f.air = "other".into()), 2, "it may be a later program's");
    let changes: [fn(&mut ProofFile); 10] = [
        |f| f.air = "fibonacci".into(),
        |f| f.parameters.clear(),
        |f| *f.parameters.get_mut("v0").unwrap() = 4,
        |f| assert!(f.parameters.insert("other".into(), 1).is_none()),
        |f| f.log_rows = 6,
        |f| f.log_rows = 30,
        |f| f.words[2] = 4,
        |f| f.claimed_sums.clear(),
        |f| f.claimed_sums[0] = -f.claimed_sums[0],
        |f| *f.proof.last_mut().unwrap() ^= 1,
    ];
    for (index, change) in changes.into_iter().enumerate() {
        assert_eq!(changed(change), 1, "change {index}");
    }
    let bytes = proved.bytes();
    assert_eq!(code(&bytes[..bytes.len() - 1]), 1);
    assert_eq!(code(&[&bytes[..], &[0]].concat()), 1);
    assert_eq!(code(&bytes), 0);
}

#[test]
fn private_parameters_are_not_in_the_file() {
    let line = "prove --protocol circle --air wide-fibonacci --rows 16 --param w=4 --param s=9 --pow-bits 1 \
                --backend cpu-reference";
    let proved = Proved::new(&line.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut file = ProofFile::decode(&proved.bytes()).unwrap();
    assert_eq!(file.parameters, [("w".to_owned(), 4)].into());
    // A file may not claim one.
    file.parameters.insert("s".into(), 9);
    let ran = run(["verify", text(&proved.sibling(&file.encode().unwrap())), "--min-security-bits", "0"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn what_makes_no_sense_ends_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for line in [
        "--air fibonacci --rows 48",
        "--air other --rows 32",
        "--air plonk --rows 32 --param other=1",
        "--air range-squares --rows 32",
        "--air plonk --rows 32 --log-blowup 0",
        "--air plonk --rows 32 --queries 0",
        "--air plonk --rows 32 --pow-bits 33",
        "--air plonk --rows 32 --fold-step 7",
        "--air plonk --rows 32 --log-blowup 2 --lifting 6",
        "--air fibonacci --rows 32 --log-blowup 2 --lifting 9",
        "--air plonk --rows 32 --blowup 4",
        "--air plonk --rows 32 --grinding 4",
        "--air plonk --rows 32 --hash keccak256",
        "--air plonk --rows 32 --backend other",
    ] {
        let ran = words(&format!("prove --protocol circle {line} -o"), &[text(&file)]);
        assert_eq!(ran.code, 2, "{line}: {ran:?}");
        assert!(!file.exists());
    }
    let ran = words("prove --air quadratic --rows 64 --pow-bits 4 -o", &[text(&file)]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("--pow-bits"), "{ran:?}");
}

/// Trap 8: whether the queries are in order in a low preprocessed tree is known only when they are drawn, so by default
/// there is none.
#[test]
fn unsorted_queries_name_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let line = "prove --protocol circle --air range-squares --rows 64 --param table=4 --queries 40 --pow-bits 1 --log-blowup 2 \
                --security claimed-0 --backend cpu-reference";
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let ran = words(&line, &["-o", text(&file), "--lifting", "none"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("lifting 8"), "{ran:?}");
    assert!(!file.exists());
    let proven = |lifting: &[&str]| {
        let ran = words(&line, &[&["--json", "-o", text(&file)], lifting].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let view = json(&ran);
        (view["statement"]["options"]["lifting"].clone(), view["proof"]["sha256"].clone())
    };
    // The remedy is the default.
    assert_eq!(proven(&[]), proven(&["--lifting", "8"]));
    assert_eq!(proven(&[]).0, 8);
}
