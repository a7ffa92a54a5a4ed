//! Output and its place.

use super::common::{Proved, command, json, ran, run, text, words};

#[test]
fn piped_output_is_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let made = words("prove --air quadratic --rows 64", &["-o", text(&file)]);
    assert_eq!((made.code, made.stderr.as_str()), (0, ""));
    assert!(made.stdout.starts_with("proven and verified\n"), "{made:?}");
    assert!(!made.stdout.contains('\u{1b}') && !made.stdout.contains('\r'), "{made:?}");
    let verified = run(["verify", text(&file)]);
    assert_eq!((verified.code, verified.stderr.as_str()), (0, ""));
}

#[test]
fn every_subcommand_speaks_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let made = json(&words("--json prove --air read-only-memory --rows 64 --format lambdaworks", &["-o", text(&file)]));
    assert_eq!(made["status"], "proven");
    assert_eq!(made["backend"], "cpu");
    assert_eq!(made["stages"][0]["name"], "trace");

    let verified = json(&run(["verify", "--json", text(&file)]));
    assert_eq!(verified["status"], "valid");
    let statement = &verified["statement"];
    assert_eq!(*statement, made["statement"]);
    assert_eq!(statement["air"], "read-only-memory");
    assert_eq!(statement["rows"], 64);
    assert_eq!(statement["public_inputs"], serde_json::json!(["4", "13", "1", "4"]));
    assert_eq!(statement["options"]["hash"], "keccak256");
    assert_eq!(statement["transcript_seed"], serde_json::Value::Null);
    assert_eq!(statement["seed_binds_statement"], true);
    assert!(verified["security"]["provable_bits"].as_u64().unwrap() >= 100);
    assert_eq!(verified["proof"], made["proof"]);

    let inspected = json(&run(["inspect", "--json", text(&file)]));
    assert_eq!(inspected["status"], "not verified");
    assert_eq!(inspected["statement"], *statement);
    assert_eq!(inspected["contents"]["trace_length"], 64);
    assert_eq!(inspected["contents"]["deep_openings"], statement["options"]["queries"]);
    assert_eq!(inspected["claimed_security"], verified["security"]);

    let backends = json(&words("backends --json", &[]));
    let names: Vec<_> = backends["backends"].as_array().unwrap().iter().map(|backend| &backend["name"]).collect();
    assert_eq!(names, ["cuda", "cpu", "cpu-reference"]);
    let [gpu, rest @ ..] = &backends["backends"].as_array().unwrap()[..] else { panic!("{backends}") };
    assert!(rest.iter().all(|backend| backend["available"] == true));
    // With no GPU the processor is preferred, and the missing device is named.
    let available = gpu["available"].as_bool().unwrap();
    assert_eq!(gpu["preferred"], available);
    assert_eq!(rest[0]["preferred"], !available);
    if !available {
        let refused = words("prove --air quadratic --rows 64 --backend cuda -o", &[text(&file)]);
        assert_eq!(refused.code, 3, "{refused:?}");
        assert!(refused.stderr.contains("cuda") || refused.stderr.contains("driver"), "{refused:?}");
    }
}

#[test]
fn failures_speak_json_too() {
    let proved = Proved::small();
    let refused = run(["verify", "--json", text(&proved.file), "--expect-rows", "128"]);
    assert_eq!(refused.code, 1);
    let view = json(&refused);
    assert_eq!((&view["status"], &view["exit_code"]), (&"invalid".into(), &1.into()));
    assert!(view["error"].as_str().unwrap().contains("64"), "{view}");
    assert_eq!(json(&words("verify --json /no/such/file", &[]))["exit_code"], 2);
}

#[test]
fn misuse_speaks_json_too() {
    for (line, needed) in [
        ("verify --json", "FILE"),
        ("prove --air quadratic --rows many -o x --json", "many"),
        ("--json no-such-command", "no-such-command"),
        ("--json", "subcommand"),
    ] {
        let ran = words(line, &[]);
        assert_eq!(ran.code, 2, "{ran:?}");
        let view = json(&ran);
        assert_eq!((&view["status"], &view["exit_code"]), (&"usage".into(), &2.into()), "{ran:?}");
        assert!(view["error"].as_str().unwrap().contains(needed), "{view}");
        assert!(view["usage"].is_null() || view["usage"].as_str().unwrap().contains("polystark"), "{view}");
        assert!(!ran.stderr.is_empty(), "people are told, too: {ran:?}");
    }
    assert!(words("verify", &[]).stdout.is_empty());
    assert!(json(&words("verify --json", &[]))["usage"].as_str().unwrap().contains("verify"));
}

#[test]
fn proofs_go_through_pipes() {
    let proved = Proved::small();
    let line =
        "prove --format lambdaworks --air fibonacci-rap --rows 2^6 --param steps=20 --grinding 16 --queries 88 -o -";
    let made = command().args(line.split(' ')).output().unwrap();
    assert!(made.status.success() && made.stdout == proved.bytes(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(String::from_utf8_lossy(&made.stderr).starts_with("proven and verified\n"));
    let machine = command().args(line.split(' ')).arg("--json").output().unwrap();
    assert!(machine.stdout == proved.bytes());
    let view: serde_json::Value = serde_json::from_slice(&machine.stderr).unwrap();
    assert_eq!(view["status"], "proven");
    for (subcommand, needed) in [("verify", "valid"), ("inspect", "not verified")] {
        let input = std::fs::File::open(&proved.file).unwrap();
        let read = ran(command().args([subcommand, "-"]).stdin(input).output().unwrap());
        assert!(read.code == 0 && read.stdout.starts_with(needed), "{read:?}");
    }
    let both = words(line, &["--raw", "-"]);
    assert!(both.code == 2 && both.stderr.contains("-o and --raw name the same file"), "{both:?}");
}

#[test]
fn shells_and_manuals_know_every_argument() {
    let (bash, zsh) = (words("completions bash", &[]), words("completions zsh", &[]));
    assert!(bash.code == 0 && bash.stdout.contains("--expect-rows") && bash.stdout.contains("complete -F"), "{bash:?}");
    assert!(zsh.stdout.starts_with("#compdef polystark"), "{zsh:?}");
    assert_eq!(words("completions abacus", &[]).code, 2);
    let (page, verify) = (words("man", &[]), words("man verify", &[]));
    assert!(page.stdout.contains(".TH polystark 1") && page.stdout.contains("polystark\\-verify(1)"), "{page:?}");
    assert!(verify.stdout.contains(".TH polystark-verify 1") && verify.stdout.contains("max\\-bytes"), "{verify:?}");
    assert_eq!(words("man no-such-command", &[]).code, 2);
}

#[test]
fn inspection_shows_what_is_broken() {
    let proved = Proved::small();
    let mut statement = polystark::goldilocks_proof::ProofFile::decode(&proved.bytes()).unwrap();
    statement.proof.truncate(100);
    let file = proved.sibling(&statement.encode().unwrap());
    let view = json(&run(["inspect", "--json", text(&file)]));
    assert_eq!(view["contents"], serde_json::Value::Null);
    assert!(view["problem"].as_str().unwrap().contains("decoded"), "{view}");
    assert_eq!(view["proof"]["bytes"], 100);
}

#[test]
fn bench_measures_every_operation_of_a_proof() {
    for backend in ["cpu", "cpu-reference"] {
        let line = "bench --json --air fibonacci-rap --rows 256 --runs 3 --warm-up 1 --grinding 4 --backend";
        let view = json(&words(line, &[backend]));
        assert_eq!(view["status"], "measured");
        assert_eq!(view["backend"], backend);
        assert!(view["prove"]["median_seconds"].as_f64().unwrap() > 0.0);
        assert!(view["verify"]["median_seconds"].as_f64().unwrap() > 0.0);
        let operations = view["operations"].as_array().unwrap();
        for name in
            ["upload_lde", "lde", "merkle", "constraint_eval", "running", "deep_quotient", "fri_fold", "grind", "open"]
        {
            let operation = operations.iter().find(|operation| operation["name"] == name);
            assert!(operation.is_some_and(|operation| operation["calls"].as_u64().unwrap() > 0), "{name}: {view}");
        }
        // Two columns of 256 elements go up.
        let upload = operations.iter().find(|operation| operation["name"] == "upload_lde").unwrap();
        assert_eq!(upload["uploaded_bytes"], 2 * 256 * 8);
        assert!(view["measured_peak_bytes"].as_u64().unwrap() > 0);
        assert_eq!(view["phases"].as_array().unwrap().len(), 8);
    }
    assert_eq!(words("bench --runs 0", &[]).code, 2);
    assert!(words("bench --air quadratic --rows 64 --runs 2", &[]).stdout.contains("merkle"));
}

#[test]
fn spans_go_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (file, trace) = (folder.path().join("file"), folder.path().join("trace.json"));
    let arguments = ["prove", "--air", "quadratic", "--rows", "64", "-o", text(&file), "--spans", text(&trace)];
    let traced = run(arguments);
    assert_eq!((traced.code, traced.stderr.as_str()), (0, ""));
    let events: serde_json::Value = serde_json::from_slice(&std::fs::read(&trace).unwrap()).unwrap();
    let names: Vec<&str> = events.as_array().unwrap().iter().filter_map(|event| event["name"].as_str()).collect();
    for span in ["trace", "prove", "main trace", "grinding", "merkle", "fri_fold", "verify"] {
        assert!(names.contains(&span), "{span}: {names:?}");
    }
    // One column of 64 rows goes up, 8 bytes an element.
    let upload = events.as_array().unwrap().iter().find(|event| event["name"] == "upload_lde").unwrap();
    for (field, value) in [("columns", "1"), ("rows", "64"), ("bytes", "512")] {
        assert_eq!(upload["args"][field].to_string().trim_matches('"'), value, "{upload}");
    }
    let logged = ran(command().args(&arguments[..7]).env("RUST_LOG", "info").output().unwrap());
    assert_eq!(logged.code, 0);
    assert!(logged.stderr.contains("main trace") && !logged.stdout.contains("main trace"), "{logged:?}");
}
