//! Tasks in a bootloader, next to the reference's runs of them.

use std::path::Path;
use std::sync::Arc;

use cairo_run::felt::text;
use cairo_run::{
    BootloaderProgram, FactTopology, Layout, Loaded, Machine, Options, Problem, ProgramTask, RunBy, TaskHash, TaskList,
    TaskSource, TaskSpec, Tasks, load, parse_arguments_file, pie, run_task, write_prover_input,
};
use serde_json::Value;

use crate::files::{compare_prover_input, read, sha256, vector};

fn list(json: &str) -> Result<TaskList, Problem> {
    let file = |path: &Path| Ok(read(path.to_str().unwrap()));
    TaskList::read(json.as_bytes(), pie::DEFAULT_MAX_BYTES, file)
}

/// The run of a list, which both machines must make, ours without help.
fn run_list(list: &TaskList, layout: Layout) -> Loaded {
    let tasks = Some(Arc::new(list.tasks.clone()));
    let options = Options { tasks, layout, machine: Machine::Compare, ..Options::default() };
    let loaded = load(&BootloaderProgram::of(list).json().unwrap(), &options).unwrap();
    assert_eq!(loaded.run_by, RunBy::Own);
    loaded
}

fn tasks(json: &str, layout: Layout) -> Loaded {
    run_list(&list(json).unwrap(), layout)
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

/// Programs as tasks, in all four bootloaders.
#[test]
fn runs_of_programs_are_the_ones_of_the_reference() {
    let runs = vector("pies/tasks.json");
    for run in runs.as_array().unwrap() {
        let name = run["name"].as_str().unwrap();
        let list = list(&run["list"].to_string()).unwrap();
        let layout = if run["layout"] == "stwo_no_ecop" { Layout::StwoNoEcop } else { Layout::default() };
        let bootloader = BootloaderProgram::of(&list);
        assert_eq!(bootloader.to_string(), run["bootloader"], "{name}");
        list.check(bootloader).unwrap();
        let loaded = run_list(&list, layout);
        let output: Vec<String> = loaded.output.iter().map(text).collect();
        assert_eq!(serde_json::to_value(output).unwrap(), run["output"], "{name}");
        let tasks = loaded.tasks.unwrap();
        // The privacy bootloader writes none.
        if !run["fact_topologies"].is_null() {
            assert_eq!(serde_json::to_value(&tasks.fact_topologies).unwrap(), run["fact_topologies"], "{name}");
        }
        let preimage = tasks.preimage.map(|felts| felts.iter().map(text).collect::<Vec<_>>());
        assert_eq!(serde_json::to_value(preimage).unwrap(), run["output_preimage"], "{name}");
        let bytes = write_prover_input(&loaded.run).unwrap();
        assert_eq!(bytes.len() as u64, run["prover_input_len"].as_u64().unwrap(), "{name}");
        assert_eq!(sha256(&bytes), run["prover_input_sha256"].as_str().unwrap(), "{name}");
    }
}

/// A list of an executable with its file of arguments.
fn executable(name: &str, arguments: &str) -> String {
    format!(
        "{{\"tasks\": [{{\"type\": \"Cairo1Executable\", \"path\": \"cairo1/programs/{name}.executable.json\", {arguments}, \
         \"program_hash_function\": \"blake\"}}], \"single_page\": true}}"
    )
}

#[test]
fn runs_of_executables_are_the_ones_of_the_reference() {
    for (name, of, layout) in [
        ("fib", "fib_boot", Layout::default()),
        ("fib", "fib_scarb", Layout::StwoNoEcop),
        ("mix", "mix_scarb", Layout::StwoNoEcop),
    ] {
        let arguments = format!("\"user_args_file\": \"cairo1/programs/{name}.args.json\"");
        let loaded = tasks(&executable(name, &arguments), layout);
        compare_prover_input(of, &loaded.run, &vector(&format!("cairo1/vectors/{of}.small.json")));
        let felts = parse_arguments_file(&read(&format!("cairo1/programs/{name}.args.json"))).unwrap();
        let felts: Vec<String> = felts.iter().map(ToString::to_string).collect();
        let listed = executable(name, &format!("\"user_args_list\": [{}]", felts.join(", ")));
        let [listed, loaded] = [tasks(&listed, layout), loaded].map(|loaded| write_prover_input(&loaded.run).unwrap());
        assert!(listed == loaded, "{of}: the same arguments in the list");
    }
}

#[test]
fn a_program_that_no_bootloader_calls_is_no_task() {
    let fib = String::from_utf8(read("pies/src/fib.json")).unwrap();
    assert!(ProgramTask::compiled(fib.as_bytes(), None).is_ok());
    for (from, to, needed) in [
        ("\"poseidon\"", "\"segment_arena\"", "segment_arena, which no bootloader has"),
        ("__main__.main\"", "__main__.other\"", "no function `main`"),
    ] {
        let error = ProgramTask::compiled(fib.replace(from, to).as_bytes(), None).unwrap_err().to_string();
        assert!(error.contains(needed), "{error}");
    }
    let executable = String::from_utf8(read("cairo1/programs/fib.executable.json")).unwrap();
    let error = ProgramTask::executable(executable.replace("Bootloader", "Standalone").as_bytes(), &[]).unwrap_err();
    assert!(error.to_string().contains("no Bootloader entry point"), "{error}");
}

/// The words of both stand in the same place.
#[test]
fn a_run_has_no_hints_of_the_program_before_it() {
    let program = read("pies/src/fibonacci.json");
    let input: Value = serde_json::from_str("{\"second_element\": 1, \"fibonacci_claim_index\": 7}").unwrap();
    let options = Options { program_input: Some(input.clone()), ..Options::default() };
    let pie = run_task(&program, &options).unwrap().pie;
    let hash = TaskHash::Poseidon;
    let program = TaskSource::Program(ProgramTask::compiled(&program, Some(input)).unwrap());
    let tasks = [program.clone(), TaskSource::Pie(Arc::new(pie)), program].map(|source| TaskSpec { source, hash });
    let tasks = Tasks { tasks: tasks.to_vec(), single_page: true, unpacking: None, aggregator: None };
    let options = Options { tasks: Some(Arc::new(tasks)), machine: Machine::Compare, ..Options::default() };
    let loaded = load(&BootloaderProgram::Simple.json().unwrap(), &options).unwrap();
    assert_eq!(loaded.run_by, RunBy::Own);
    let output = loaded.output;
    assert_eq!((output.len(), output[0]), (13, 3.into()));
    assert!(output[1..5] == output[5..9] && output[5..9] == output[9..], "{output:?}");
}

/// A program that fails as a task says which one, and where; a panic of Cairo 1 also its text.
#[test]
fn a_task_that_fails_is_named() {
    let fib = task("fib", "blake");
    let second = |task: &str| format!("{{\"tasks\": [{fib}, {task}], \"single_page\": true}}");
    let failure = |json: &str| {
        let list = list(json).unwrap();
        let program = BootloaderProgram::of(&list).json().unwrap();
        load(&program, &Options { tasks: Some(Arc::new(list.tasks)), ..Options::default() }).unwrap_err().to_string()
    };
    // It takes one argument.
    let one = executable("fib", "\"user_args_list\": []");
    let one = one.split_once('[').unwrap().1.rsplit_once(']').unwrap().0;
    let said = failure(&second(one));
    assert!(said.contains("task 1, at word ") && said.contains("deserialize"), "{said}");
    let program = "{\"type\": \"RunProgramTask\", \"path\": \"pies/src/fibonacci.json\", \"program_hash_function\": \
                   \"blake\", \"program_input\": {\"second_element\": 1}}";
    let said = failure(&second(program));
    assert!(said.contains("in task 1, at word ") && said.contains("fibonacci_claim_index"), "{said}");
    // A program has its own hints where another task has the same words.
    let whole = program.replace("\"second_element\": 1", "\"second_element\": 1, \"fibonacci_claim_index\": 5");
    let said = failure(&second(&format!("{whole}, {program}")));
    assert!(said.contains("in task 2, at word "), "{said}");
    let said = failure(&second(&program.replace(", \"program_input\": {\"second_element\": 1}", "")));
    assert!(said.contains("task 1") && said.contains("none is given"), "{said}");
}

#[test]
fn the_simple_bootloader_puts_out_what_the_private_one_hashes() {
    let preimage = |name| tasks(&private(name), Layout::default()).tasks.unwrap().preimage.unwrap();
    let [fib, hashes] = ["fib", "hashes"].map(preimage);
    let list = format!("[{}, {}, {}]", task("fib", "blake"), task("hashes", "blake"), task("hashes", "blake"));
    let simple = tasks(&format!("{{\"tasks\": {list}, \"single_page\": false}}"), Layout::default());
    let expected = [&[3.into()][..], &fib[1..], &hashes[1..], &hashes[1..]].concat();
    assert_eq!(simple.output, expected);
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

/// Pages that a list says for the tasks of a task, and that are not those of its output.
#[test]
fn pages_of_packed_outputs_are_those_of_the_output() {
    let runs = vector("pies/tasks.json");
    let run = runs.as_array().unwrap().iter().find(|run| run["name"] == "composite").unwrap();
    let loaded = |words: u64| {
        let mut json = run["list"].clone();
        let sizes = &mut json["packed_outputs"][1]["fact_topologies"][0]["page_sizes"];
        assert_eq!(*sizes, serde_json::json!([2]));
        sizes[0] = words.into();
        let list = list(&json.to_string()).unwrap();
        let program = BootloaderProgram::of(&list).json().unwrap();
        load(&program, &Options { tasks: Some(Arc::new(list.tasks)), ..Options::default() })
    };
    assert!(loaded(2).is_ok());
    for words in [0, 1, 3, 1000, 1 << 40, u64::MAX] {
        let error = loaded(words).unwrap_err();
        assert!(matches!(&*error.problem, Problem::Failed(failure) if failure.panic.is_none()), "{words}: {error:?}");
        let said = format!("the packed output of task 1: the pages of task 0 have {words} words");
        assert!(error.to_string().contains(&said), "{error}");
    }
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
        (one(&fib.replace("CairoPiePath", "RunProgramTask")), "task 0: pies/fib.zip"),
        (one(&fib.replace("CairoPiePath", "Cairo1Executable")), "task 0: pies/fib.zip"),
        (one("{\"type\": \"RunProgramTask\", \"program_hash_function\": \"blake\"}"), "neither a program nor a path"),
        (executable("fib", "\"user_args_list\": [1, true]"), "task 0: user_args_list: arguments: word 1"),
        (executable("fib", "\"user_args_file\": \"pies/fib.zip\""), "task 0: pies/fib.zip"),
        (executable("fib", "\"path\": null").replace("Cairo1Executable", "RunProgramTask"), "duplicate field"),
        (
            executable("fib", "\"user_args_list\": []").replace("Cairo1Executable", "RunProgramTask"),
            "type Cairo1Executable",
        ),
        (
            one(&fib.replace("CairoPiePath", "Cairo1Executable").replace("pies/fib.zip", "pies/src/fib.json")),
            "type RunProgramTask",
        ),
        (format!("{{\"tasks\": [], \"single_page\": true, \"aggregator_task\": {fib}}}"), "no `bootloader_config`"),
        ("{\"tasks\": [], \"single_page\": true, \"packed_outputs\": []}".to_owned(), "no `bootloader_config`"),
        (
            format!(
                "{{\"tasks\": [], \"single_page\": true, \"aggregator_task\": {}}}",
                fib.replace("pies/fib.zip", "pies/src/fib.json")
            ),
            "aggregator",
        ),
        (one(&fib.replace("CairoPiePath", "Other")), "task 0"),
        (one(&format!("{fib}, {}", fib.replace("pies/fib.zip", "cairo/programs/fib_10.json"))), "task 1"),
    ] {
        let error = list(&json).unwrap_err();
        assert!(error.to_string().contains(needed), "{json}: {error}");
    }
    assert_eq!(list(&one(&fib)).unwrap().tasks.tasks[0].hash, TaskHash::Blake);
    let simple = list(&one(&fib)).unwrap();
    for (bootloader, needed) in [
        (BootloaderProgram::Unpacking, "no `bootloader_config`"),
        (BootloaderProgram::Applicative, "no `bootloader_config`"),
    ] {
        assert!(simple.check(bootloader).unwrap_err().to_string().contains(needed));
    }
    let preimage = list(&private("fib")).unwrap().check(BootloaderProgram::Simple).unwrap_err().to_string();
    assert!(preimage.contains("takes no `output_preimage_dump_path`"), "{preimage}");
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
    tasks.tasks[0].source = TaskSource::Pie(Arc::new(far));
    let error = load(&program, &Options { tasks: Some(Arc::new(tasks)), ..options }).unwrap_err();
    assert!(error.to_string().contains("its tasks take"), "{error}");
}
