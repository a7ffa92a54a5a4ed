//! The program under the names of Starknet's tools: their flags, files, messages and exit codes.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use hal_conformance::left_out_without_backend;
use polystark::circle_proof::Suite;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::common::{Ran, json as view_of, ran, run, text};

/// One proof of 10 GB at a time.
static LARGE: Mutex<()> = Mutex::new(());

/// A folder with the program under its other names.
struct Tools(TempDir);

/// A project with a package `hello`, as Scarb's extensions see it.
const SCARB: &str = r#"#!/bin/sh
echo "$@" >> "$LOG"
case "$1" in
metadata)
    echo 'warn: something else'
    echo '{"version":1,"packages":[{"id":"hello 0.1.0","name":"hello","manifest_path":"/p/Scarb.toml"},{"id":"core 2.0.0","name":"core","manifest_path":"/c/Scarb.toml"}],"workspace":{"manifest_path":"/p/Scarb.toml","members":["hello 0.1.0"]}}';;
execute)
    echo "id $SCARB_EXECUTION_ID of $SCARB_PACKAGES_FILTER, features $SCARB_FEATURES, $SCARB_UI_VERBOSITY" >> "$LOG"
    test -z "$FAILS" || exit 1
    # A package that is built has an executable. Its run was made before.
    if test -f "$SCARB_TARGET_DIR/dev/$SCARB_PACKAGES_FILTER.executable.json"; then
        echo "   Executing $SCARB_PACKAGES_FILTER"
        cp "$RUN" "$SCARB_TARGET_DIR/execute/$SCARB_PACKAGES_FILTER/execution$SCARB_EXECUTION_ID/prover_input.json"
    fi;;
esac
"#;

fn vector(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path)
}

impl Tools {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["stwo-run-and-prove", "stwo_run_and_prove", "stwo-vm-runner", "scarb-prove", "scarb-verify"] {
            symlink(env!("CARGO_BIN_EXE_polystark"), folder.path().join(name)).unwrap();
        }
        let scarb = folder.path().join("scarb");
        fs::write(&scarb, SCARB).unwrap();
        fs::set_permissions(&scarb, fs::Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A call of one of them, in the folder, on the processor.
    fn call(&self, name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(self.at(name));
        for variable in
            ["SCARB_PACKAGES_FILTER", "SCARB_UI_VERBOSITY", "SCARB_OUTPUT_JSON", "SCARB_FEATURES", "RUST_LOG"]
        {
            command.env_remove(variable);
        }
        command.args(arguments).current_dir(self.0.path()).env("POLYSTARK_BACKEND", "cpu");
        command.env("SCARB", self.at("scarb")).env("LOG", self.at("log")).env("SCARB_TARGET_DIR", self.at("target"));
        let ran = ran(command.envs(environment.iter().copied()).output().unwrap());
        assert!(!ran.stderr.contains("panicked at"), "{ran:?}");
        ran
    }

    fn read(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.at(name)).unwrap()).unwrap()
    }

    /// Parameters of the stored proofs of few queries.
    fn low(&self) -> PathBuf {
        let fri = json!({"log_blowup_factor": 1, "log_last_layer_degree_bound": 0, "n_queries": 3});
        let parameters = json!({
            "channel_hash": "blake2s",
            "channel_salt": 0,
            "pcs_config": {"pow_bits": 5, "fri_config": fri},
            "preprocessed_trace": "canonical_small",
            "store_polynomials_coefficients": true,
            "include_all_preprocessed_columns": false,
        });
        let file = self.at("params.json");
        fs::write(&file, parameters.to_string()).unwrap();
        file
    }
}

fn assert_code(ran: &Ran, code: i32, words: &[&str]) {
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(ran.code == code && words.iter().all(|word| said.contains(word)), "{words:?}: {ran:?}");
}

#[test]
fn a_program_is_run_and_proven_as_by_the_reference() {
    let tools = Tools::new();
    let (program, params) = (vector("cairo/programs/fib_10.json"), tools.low());
    let how = ["--program", text(&program), "--proof_path", "proof", "--prover_params_json", text(&params)];
    let more = ["--proof-format", "json", "--verify", "--program_output", "output", "--debug_data_dir", "debug/data"];
    let ran = tools.call("stwo-run-and-prove", &[&how[..], &more].concat(), &[]);
    assert_code(&ran, 0, &["Proof generated and verified successfully.", "stwo_run_and_prove succeeded"]);
    assert_eq!(fs::read_to_string(tools.at("output")).unwrap(), "[\n  \"0x90\"\n]");
    assert!(!tools.at("debug").exists(), "the run is proven");
    let inspected =
        run(["cairo", "inspect", text(&tools.at("proof")), "--json", "--params-out", text(&tools.at("written"))]);
    let stored: Value = serde_json::from_slice(&fs::read(vector("cairo/vectors/fib_10.small.json")).unwrap()).unwrap();
    let view = view_of(&inspected);
    assert_eq!(view["proof"]["sha256"], stored["proofs"]["low"]["proof_bincode1_sha256"]);
    // The file of parameters gives the same proof, by our own name, too.
    assert_eq!(tools.read("written"), view["prover_parameters"]);
    let written = tools.at("written");
    let own = ["--params", text(&written), "--backend", "cpu", "--min-security-bits", "0"];
    let again = run(["cairo", "prove", text(&program), "-o", text(&tools.at("again")), "--json"].iter().chain(&own));
    assert_eq!(view_of(&again)["proof"]["sha256"], view["proof"]["sha256"], "{again:?}");
    assert!(fs::read_to_string(tools.at("proof")).unwrap().starts_with("{\n  \"claim\": {"), "it is easy to read");
}

/// The list runs in the simple bootloader, and the proof is the reference's.
#[test]
fn tasks_are_run_and_proven_as_by_the_reference() {
    let tools = Tools::new();
    let params = tools.low();
    let [program, arguments] =
        ["fib.executable.json", "fib.args.json"].map(|name| vector(&format!("cairo1/programs/{name}")));
    let task = json!({
        "type": "Cairo1Executable",
        "path": program,
        "user_args_file": arguments,
        "program_hash_function": "blake",
    });
    let list = json!({"tasks": [task], "single_page": true, "fact_topologies_path": "topologies"});
    fs::write(tools.at("list"), list.to_string()).unwrap();
    let how = ["--tasks", "list", "--prover_params_json", text(&params), "--program_output", "output"];
    let call = |more: &[&str]| tools.call("stwo-run-and-prove", &[&how[..], more].concat(), &[]);
    let ran = call(&["--proof_path", "proof", "--proof-format", "json"]);
    assert_code(&ran, 0, &["Proof generated and verified successfully."]);
    let stored = fs::read(vector("cairo1/vectors/fib_boot.small.json")).unwrap();
    let stored: Value = serde_json::from_slice(&stored).unwrap();
    let view = view_of(&run(["cairo", "inspect", text(&tools.at("proof")), "--json"]));
    assert_eq!(view["proof"]["sha256"], stored["proofs"]["low"]["proof_bincode1_sha256"]);
    assert_eq!(tools.read("output").as_array().unwrap().len(), 4);
    assert_eq!(tools.read("topologies")["fact_topologies"][0]["page_sizes"], json!([1]));
    assert_code(&call(&["--proof_path", "topologies"]), 1, &["name the same file"]);
    assert_code(&call(&["--proof_path", "proof", "--program", text(&program)]), 2, &["cannot be used with"]);
    assert_code(&tools.call("stwo-run-and-prove", &["--proof_path", "proof"], &[]), 2, &["--program"]);
}

#[test]
fn failures_of_the_reference_s_programs_have_its_codes_and_its_debug_data() {
    let tools = Tools::new();
    let program = vector("cairo/programs/fib_10.json");
    let how = ["--program", text(&program), "--proof_path", "proof"];
    let call = |more: &[&str]| tools.call("stwo_run_and_prove", &[&how[..], more].concat(), &[]);
    fs::write(tools.at("bad"), "{}").unwrap();
    let ran = call(&["--prover_params_json", "bad", "--debug_data_dir", "debug", "--program_output", "output"]);
    assert_code(&ran, 1, &["Proving failed with error bad: ", "channel_hash", "stwo_run_and_prove failed: bad"]);
    assert!(!tools.at("proof").exists() && !tools.at("output").exists());
    let run = tools.read("debug/prover_input.json");
    assert_eq!(run["state_transitions"]["initial_state"]["pc"], 1);
    assert_code(&call(&["--proof-format", "bincode"]), 2, &["invalid value 'bincode'"]);
    assert_code(&call(&["--proof-path", "x"]), 2, &["unexpected argument"]);
    assert_code(&call(&["--help"]), 0, &["--save_debug_data"]);
    assert_code(&call(&["--version"]), 0, &["stwo-run-and-prove 1.3.1"]);
    let none = tools.call("stwo-run-and-prove", &["--program", "none", "--proof_path", "proof"], &[]);
    assert_code(&none, 1, &["stwo_run_and_prove failed: none: "]);
    let device = tools.call("stwo-run-and-prove", &how, &[("POLYSTARK_BACKEND", "nothing")]);
    assert_code(&device, 1, &["nothing"]);
}

#[test]
fn the_machine_s_resources_are_counted() {
    let tools = Tools::new();
    let program = vector("cairo/programs/fib_10.json");
    let how = ["--program", text(&program), "--output_execution_resources_path", "resources", "--layout"];
    let files = ["--output_prover_input_path", "input", "--output_vm_execution_resources_path", "vm", "--secure_run"];
    let ran = tools.call("stwo-vm-runner", &[&how[..], &["all_cairo_stwo"], &files].concat(), &[]);
    assert_code(&ran, 0, &["Execution resources: ExecutionResources {", "stwo_vm_runner succeeded"]);
    let (resources, run, machine) = (tools.read("resources"), tools.read("input"), tools.read("vm"));
    let steps: u64 =
        resources["opcodes_instance_counter"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(steps + 1, machine["n_steps"].as_u64().unwrap(), "the last entry of the trace is the final state");
    assert_eq!(resources["verify_instruction"], run["pc_count"]);
    let addresses = run["memory"]["address_to_id"].as_array().unwrap().len();
    assert_eq!(resources["memory_tables_sizes"]["memory_address_to_id"], addresses);
    assert_eq!(machine["builtin_instance_counter"]["output_builtin"], 1);
    let ran = tools.call("stwo-vm-runner", &[&how[..], &["plain"]].concat(), &[]);
    assert_code(&ran, 1, &["the layout all_cairo_stwo alone"]);
    assert_code(&tools.call("stwo-vm-runner", &[&how[..], &["huge"]].concat(), &[]), 2, &["huge"]);
}

#[test]
fn scarb_executes_before_a_proof() {
    let tools = Tools::new();
    let prove = |arguments: &[&str], environment: &[(&str, &str)]| tools.call("scarb-prove", arguments, environment);
    let ran = prove(&["--execute", "--arguments", "1,0x2", "-F", "a,b", "--print-program-output"], &[]);
    // The script writes no run.
    assert_code(
        &ran,
        1,
        &["     Proving hello\n", "error: prover input file does not exist at path: ", "execution1/prover_input.json"],
    );
    let log = fs::read_to_string(tools.at("log")).unwrap();
    let expected = "metadata --format-version 1\nexecute --arguments 1,2 --print-program-output --layout stwo_no_ecop --target=bootloader \
                    --output=standard\nid 1 of hello, features a,b, normal\n";
    assert_eq!(log, expected);
    assert_code(
        &prove(&["--execute"], &[("FAILS", "1")]),
        1,
        &["error: execution failed: `scarb` command exited with error"],
    );
    assert_code(&prove(&["--execution-id", "9"], &[]), 1, &["error: execution directory not found: ", "execution9"]);
    let json = prove(&["--execution-id", "9", "--json"], &[]);
    assert_code(
        &json,
        1,
        &["{\"status\":\"proving\",\"message\":\"hello\"}\n", "{\"type\":\"error\",\"message\":\"execution directory"],
    );
    assert_eq!(prove(&["--execution-id", "9", "-q"], &[]).stdout, "", "errors, too");
    assert_code(&prove(&["--execution-id", "1", "-p", "core"], &[]), 1, &["package `core` not found in workspace"]);
    assert_code(&prove(&["--execute", "--target", "standalone"], &[]), 1, &["only bootloader execution can be proven"]);
    assert_code(
        &prove(&["--execution-id", "1"], &[("SCARB", "/no/such/scarb")]),
        1,
        &["failed to read `scarb metadata`"],
    );
    for wrong in [&[][..], &["--execute", "--execution-id", "1"], &["--execution-id", "1", "--no-build"]] {
        assert_eq!(prove(wrong, &[]).code, 2, "{wrong:?}");
    }
    fs::write(tools.at("target/execute/hello/execution1/prover_input.json"), "{}").unwrap();
    assert_code(&prove(&["--execution-id", "1"], &[]), 1, &["error: "]);
    fs::write(tools.at("target/execute/hello/execution1/cairo_pie.zip"), "").unwrap();
    assert_code(&prove(&["--execution-id", "1"], &[]), 1, &["proving cairo pie output is not supported"]);
}

#[test]
fn scarb_verifies_proofs_of_this_revision_and_names_others() {
    let tools = Tools::new();
    let verify = |arguments: &[&str]| tools.call("scarb-verify", arguments, &[]);
    let stored = vector("cairo/proofs/fib_10.small.low.bincode");
    let ran = verify(&["--proof-file", text(&stored)]);
    assert_eq!(ran.stdout, "   Verifying proof\n    Verified proof successfully\n", "{ran:?}");
    assert_eq!(ran.code, 0);
    assert_code(&verify(&["--execution-id", "1"]), 1, &["   Verifying hello\n", "execution directory does not exist"]);
    let folder = tools.at("target/execute/hello/execution1/proof");
    fs::create_dir_all(&folder).unwrap();
    assert_code(&verify(&["--execution-id", "1"]), 1, &["help: run `scarb prove --execution-id=1` first"]);
    let put = |proof: &Value| fs::write(folder.join("proof.json"), proof.to_string()).unwrap();
    let mut proof = of_stored(&stored);
    put(&proof);
    assert_code(&verify(&["--execution-id", "1"]), 0, &["Verified proof successfully"]);
    let nonce = proof["stark_proof"]["proof_of_work"].as_u64().unwrap();
    proof["stark_proof"]["proof_of_work"] = (nonce + 1).into();
    put(&proof);
    assert_code(&verify(&["--execution-id", "1"]), 1, &["error: failed to verify proof: "]);
    // Scarb's own revision has no such field.
    proof["stark_proof"]["config"]["fri_config"].as_object_mut().unwrap().remove("fold_step").unwrap();
    put(&proof);
    assert_code(&verify(&["--execution-id", "1"]), 1, &["another revision of stwo-cairo", "Scarb 2.20"]);
    fs::write(folder.join("proof.json"), "{").unwrap();
    assert_code(&verify(&["--execution-id", "1"]), 1, &["failed to deserialize proof file: "]);
    assert_code(&verify(&["--proof-file", "none"]), 1, &["proof file does not exist at path: none"]);
    assert_eq!([verify(&[]).code, verify(&["--proof-file", "x", "--execution-id", "1"]).code], [2, 2]);
}

/// The backend for proofs with the reference's large columns, which `POLYSTARK_BACKEND` names: on two cores they take
/// 10 GB and minutes, with `poseidon252` a quarter of an hour.
fn large_or_skip(what: &str) -> Option<String> {
    let backend = std::env::var("POLYSTARK_BACKEND").ok().filter(|name| !name.is_empty());
    if backend.is_none() {
        left_out_without_backend(what);
    }
    backend
}

/// The defaults of Scarb's prover are `canonical`, 70 queries and 26 bits of work, and the bytes are the reference's.
#[test]
fn scarb_s_execution_is_proven_and_verified() {
    let Some(backend) = large_or_skip("a proof with the 2^23 rows of the variant `canonical`") else { return };
    let _turn = LARGE.lock();
    let tools = Tools::new();
    let program = vector("cairo/programs/fib_10.json");
    let run = ["--program", text(&program), "--layout", "all_cairo_stwo", "--output_execution_resources_path", "r"];
    assert_code(
        &tools.call("stwo-vm-runner", &[&run[..], &["--output_prover_input_path", "run"]].concat(), &[]),
        0,
        &[],
    );
    fs::write(tools.at("run"), of_scarb(tools.read("run")).to_string()).unwrap();
    let built = tools.at("target/dev");
    fs::create_dir_all(&built).unwrap();
    fs::copy(vector("cairo1/programs/fib.executable.json"), built.join("hello.executable.json")).unwrap();

    let run = tools.at("run");
    let ran = tools.call("scarb-prove", &["--execute"], &[("RUN", text(&run)), ("POLYSTARK_BACKEND", &backend)]);
    let expected =
        "   Executing hello\n     Proving hello\nSaving proof to: target/execute/hello/execution1/proof/proof.json\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{ran:?}");
    let folder = tools.at("target/execute/hello/execution1/proof");
    let proof = folder.join("proof.json");
    assert!(folder.join("CACHEDIR.TAG").exists());
    let view = view_of(&super::common::run(["cairo", "inspect", text(&proof), "--json"]));
    let stored: Value =
        serde_json::from_slice(&fs::read(vector("cairo/vectors/fib_10.canonical.json")).unwrap()).unwrap();
    assert_eq!(view["proof"]["sha256"], stored["proofs"]["prod"]["proof_bincode1_sha256"]);
    let by_id = tools.call("scarb-verify", &["--execution-id", "1"], &[]);
    assert_eq!(by_id.stdout, "   Verifying hello\n    Verified proof successfully\n", "{by_id:?}");
    let by_file = tools.call("scarb-verify", &["--proof-file", text(&proof)], &[]);
    assert_eq!(by_file.stdout, "   Verifying proof\n    Verified proof successfully\n", "{by_file:?}");
    assert_eq!([by_id.code, by_file.code], [0, 0]);
}

/// The files that stwo-cairo 1.3.0 compares its own proofs with: of `blake2s`, and of `poseidon252`.
#[test]
fn proofs_are_the_files_of_stwo_cairo() {
    let what = "proofs with large variants of the programs of stwo-cairo, one with poseidon252";
    let Some(backend) = large_or_skip(what) else { return };
    let _turn = LARGE.lock();
    for name in ["all_opcode_components", "ret_opcode"] {
        let tools = Tools::new();
        let file = |end: &str| vector(&format!("starknet/stwo-cairo/{name}.{end}"));
        let (program, params) = (file("json"), file("params.json"));
        let how = ["--program", text(&program), "--proof_path", "proof", "--prover_params_json", text(&params)];
        let made = tools.call("stwo-run-and-prove", &how, &[("POLYSTARK_BACKEND", &backend)]);
        assert_code(&made, 0, &["stwo_run_and_prove succeeded"]);
        let proof = fs::read(tools.at("proof")).unwrap();
        let expected = fs::read_to_string(file("proof.sha256")).unwrap();
        assert_eq!(hex::encode(Sha256::digest(proof)), expected.trim(), "{name}");
    }
}

/// A run as Scarb 2.20 writes it: its revision has no key of the curve builtin, and public addresses in any order.
fn of_scarb(mut run: Value) -> Value {
    assert!(run["builtin_segments"].as_object_mut().unwrap().remove("ec_op_builtin").unwrap().is_null());
    run["public_memory_addresses"].as_array_mut().unwrap().reverse();
    run
}

/// The run of the crate's own example is the one that the crate `stwo-run-and-prove` expects of itself.
#[test]
fn the_run_of_a_failed_proof_is_the_reference_s() {
    let tools = Tools::new();
    fs::write(tools.at("bad"), "{}").unwrap();
    let program = vector("starknet/stwo-run-and-prove/array_sum.json");
    let how = ["--program", text(&program), "--proof_path", "proof", "--prover_params_json", "bad"];
    let ran = tools.call("stwo-run-and-prove", &[&how[..], &["--debug_data_dir", "debug"]].concat(), &[]);
    assert_code(&ran, 1, &["Proving failed with error bad: "]);
    let expected = fs::read(vector("starknet/stwo-run-and-prove/expected_prover_input.json")).unwrap();
    // The reference's public addresses have no order.
    let sorted = |mut run: Value| {
        run["public_memory_addresses"].as_array_mut().unwrap().sort_by_key(Value::as_u64);
        run
    };
    assert_eq!(sorted(tools.read("debug/prover_input.json")), sorted(serde_json::from_slice(&expected).unwrap()));
}

/// A stored proof as JSON.
fn of_stored(file: &Path) -> Value {
    use polystark::cairo::{Proof, file as format};
    let (proof, _) = format::decode::<Proof>(&fs::read(file).unwrap(), u64::MAX, Suite::default()).unwrap();
    serde_json::from_slice(&format::encode(&proof, format::Format::Json, Suite::default()).unwrap()).unwrap()
}
