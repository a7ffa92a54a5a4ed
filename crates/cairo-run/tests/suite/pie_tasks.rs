//! Tasks in a bootloader, next to the reference's runs of them.

use std::path::Path;
use std::sync::Arc;

use cairo_run::felt::text;
use cairo_run::{
    BootloaderProgram, FactTopology, Layout, Loaded, Options, Problem, RunBy, TaskHash, TaskList, load, pie,
    write_prover_input,
};
use serde_json::Value;

use crate::files::{read, sha256, vector};

fn list(json: &str) -> Result<TaskList, Problem> {
    let file = |path: &Path| Ok(read(path.to_str().unwrap()));
    TaskList::read(json.as_bytes(), pie::DEFAULT_MAX_BYTES, file)
}

fn tasks(json: &str, layout: Layout) -> Loaded {
    let list = list(json).unwrap();
    let options = Options { tasks: Some(Arc::new(list.tasks.clone())), layout, ..Options::default() };
    load(&BootloaderProgram::of(&list).json().unwrap(), &options).unwrap()
}

fn task(name: &str, hash: &str) -> String {
    format!("{{\"type\": \"CairoPiePath\", \"path\": \"pies/{name}.zip\", \"program_hash_function\": \"{hash}\"}}")
}

/// As the reference's client proofs run one task: the privacy bootloader, without `ec_op`.
fn private(name: &str) -> String {
    let task = task(name, "blake");
    format!("{{\"tasks\": [{task}], \"single_page\": true, \"output_preimage_dump_path\": \"preimage.json\"}}")
}

#[test]
fn runs_are_the_ones_of_the_reference() {
    let runs = vector("pies/runs.json");
    for (name, expected) in runs.as_object().unwrap() {
        let loaded = tasks(&private(name), Layout::StwoNoEcop);
        let felts = |felts: &Value| felts.as_array().unwrap().iter().map(|felt| felt.to_string()).collect::<Vec<_>>();
        let said =
            |felts: &[cairo_run::Felt252]| felts.iter().map(|felt| format!("\"{}\"", text(felt))).collect::<Vec<_>>();
        let preimage = loaded.tasks.as_ref().unwrap().preimage.as_ref().unwrap();
        assert_eq!(said(preimage), felts(&expected["output_preimage"]), "{name}");
        if let Some(output) = expected.get("output") {
            assert_eq!(said(&loaded.output), felts(output), "{name}");
        }
        let bytes = write_prover_input(&loaded.run).unwrap();
        assert_eq!(bytes.len() as u64, expected["prover_input_len"].as_u64().unwrap(), "{name}");
        assert_eq!(sha256(&bytes), expected["prover_input_sha256"].as_str().unwrap(), "{name}");
    }
}

#[test]
fn the_simple_bootloader_puts_out_what_the_private_one_hashes() {
    let preimage = |name| tasks(&private(name), Layout::default()).tasks.unwrap().preimage.unwrap();
    let [fib, hashes] = ["fib", "hashes"].map(preimage);
    let list = format!("[{}, {}, {}]", task("fib", "blake"), task("hashes", "blake"), task("hashes", "blake"));
    let simple = tasks(&format!("{{\"tasks\": {list}, \"single_page\": false}}"), Layout::default());
    let expected = [&[3.into()][..], &fib[1..], &hashes[1..], &hashes[1..]].concat();
    assert_eq!(simple.output, expected);
    assert!(matches!(&simple.run_by, RunBy::CairoVm { because } if because.starts_with("ours lacks the hint `")));
    let page = |words| FactTopology { tree_structure: vec![1, 0], page_sizes: vec![words] };
    assert_eq!(simple.tasks.unwrap().fact_topologies, [page(3), page(1), page(1)]);
}

#[test]
fn the_hash_of_a_program_is_the_one_that_is_asked_for() {
    let output =
        |hash| tasks(&format!("{{\"tasks\": [{}], \"single_page\": true}}", task("fib", hash)), Layout::default());
    let [pedersen, poseidon, blake] = ["pedersen", "poseidon", "blake"].map(|hash| output(hash).output);
    assert!(pedersen[2] != poseidon[2] && poseidon[2] != blake[2] && pedersen[2] != blake[2]);
    assert!(pedersen[3..] == blake[3..] && poseidon[3..] == blake[3..]);
    // Also of a program that the task before has by another hash function, or by the same.
    let list = ["blake", "poseidon", "poseidon", "blake"].map(|hash| task("fib", hash)).join(", ");
    let mixed = tasks(&format!("{{\"tasks\": [{list}], \"single_page\": true}}"), Layout::default()).output;
    assert_eq!(mixed, [&[4.into()][..], &blake[1..], &poseidon[1..], &poseidon[1..], &blake[1..]].concat());
}

#[test]
fn lists_that_are_wrong_say_which_task() {
    let one = |task: &str| format!("{{\"tasks\": [{task}], \"single_page\": true}}");
    let fib = task("fib", "blake");
    for (json, needed) in [
        ("[]".to_owned(), "no list of tasks"),
        (format!("{{\"tasks\": [{fib}]}}"), "single_page"),
        (one(&fib.replace("blake", "keccak")), "keccak"),
        (one(&fib.replace("\"path\"", "\"paths\"")), "paths"),
        (one(&fib.replace("CairoPiePath", "RunProgramTask")), "--pie"),
        (one(&fib.replace("CairoPiePath", "Other")), "task 0"),
        (one(&format!("{fib}, {}", fib.replace("pies/fib.zip", "cairo/programs/fib_10.json"))), "task 1"),
    ] {
        let error = list(&json).unwrap_err();
        assert!(error.to_string().contains(needed), "{json}: {error}");
    }
    assert_eq!(list(&one(&fib)).unwrap().tasks.tasks[0].hash, TaskHash::Blake);
    // All tasks have one limit. A file counts once.
    let limited =
        |tasks: &str, most: u64| TaskList::read(one(tasks).as_bytes(), most, |path| Ok(read(path.to_str().unwrap())));
    let most = 1 << 14;
    let other = task("keccak", "blake");
    assert!(limited(&format!("{fib}, {fib}, {fib}"), most).is_ok() && limited(&other, most).is_ok());
    let error = limited(&format!("{fib}, {other}"), most).unwrap_err().to_string();
    assert!(error.contains("All tasks together have one limit"), "{error}");
}

#[test]
fn tasks_are_bounded_and_belong_to_bootloaders() {
    let fib = list(&private("fib")).unwrap();
    let options = Options { tasks: Some(Arc::new(fib.tasks)), ..Options::default() };
    let program = BootloaderProgram::PrivacySimple.json().unwrap();
    let few = Options { max_addresses: 100, ..options.clone() };
    assert!(load(&program, &few).unwrap_err().to_string().contains("its tasks take"));
    let none = Options { tasks: None, ..options.clone() };
    assert!(load(&program, &none).unwrap_err().to_string().contains("no tasks are given"));
    let executable = load(&read("cairo1/programs/fib.executable.json"), &options).unwrap_err();
    assert!(matches!(*executable.problem, Problem::Arguments(_)), "{executable}");
    let other = load(&read("cairo/programs/fib_10.json"), &options).unwrap_err();
    assert!(matches!(*other.problem, Problem::Arguments(_)), "{other}");
    // A pointer far behind, in a segment that the file says is large.
    let mut far = pie::read(&read("pies/fib.zip"), 1 << 20).unwrap();
    far.metadata.execution_segment.size = 1 << 47;
    let last = far.memory.iter().rposition(|cell| cell.address.segment == 1).unwrap();
    far.memory[last].address.offset = (1 << 47) - 1;
    let mut tasks = list(&private("fib")).unwrap().tasks;
    tasks.tasks[0].pie = Arc::new(far);
    let error = load(&program, &Options { tasks: Some(Arc::new(tasks)), ..options }).unwrap_err();
    assert!(error.to_string().contains("its tasks take"), "{error}");
}
