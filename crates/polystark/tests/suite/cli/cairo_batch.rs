//! `polystark cairo prove --batch`: its proofs equal the vectors, which are single proofs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::common::{Ran, command, json, ran, run, text};

fn vectors(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path).canonicalize().unwrap()
}

/// Options of the proofs that are kept in the vectors.
const LOW: [&str; 10] =
    ["--queries", "3", "--pow-bits", "5", "--security", "claimed-0", "--format", "bincode", "--backend", "cpu"];

/// A folder with a list in it.
struct Listed(TempDir);

impl Listed {
    fn new(lines: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(folder.path().join("list"), text).unwrap();
        Self(folder)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn prove(&self, more: &[&str]) -> Ran {
        run(["cairo", "prove", "--batch", text(&self.at("list"))].iter().chain(&LOW).chain(more))
    }

    /// The files of the folder, without the list.
    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "list").collect();
        names.sort();
        names
    }
}

fn is_proof(file: &Path, vector: &str) -> bool {
    fs::read(file).unwrap() == fs::read(vectors(vector)).unwrap()
}

#[test]
fn a_batch_proves_what_single_proofs_prove_and_goes_on_after_a_failure() {
    let fib = vectors("cairo/programs/fib_10.json");
    let hashes = vectors("cairo1/programs/hashes.executable.json");
    let arguments = vectors("cairo1/programs/hashes.args.json");
    let list = Listed::new(&[
        json!({"program": fib, "output": "fib.proof"}),
        json!({"program": fib, "args": "1", "output": "failed.proof"}),
        json!({"program": "tiny.json", "program_type": "json", "output": "tiny.proof", "raw": "tiny.raw"}),
        json!({"program": hashes, "args_file": arguments, "output": "hashes.proof"}),
    ]);
    fs::copy(vectors("cairo/programs/tiny.json"), list.at("tiny.json")).unwrap();
    let ran = list.prove(&["--jobs", "2", "--json"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("line 2: ") && ran.stderr.contains("takes none"), "{ran:?}");
    assert_eq!(list.files(), ["fib.proof", "hashes.proof", "tiny.json", "tiny.proof", "tiny.raw"]);
    assert!(is_proof(&list.at("fib.proof"), "cairo/proofs/fib_10.small.low.bincode"));
    assert!(is_proof(&list.at("tiny.proof"), "cairo/proofs/tiny.small.low.bincode"));
    assert!(is_proof(&list.at("tiny.raw"), "cairo/proofs/tiny.small.low.bincode"));
    assert!(is_proof(&list.at("hashes.proof"), "cairo1/proofs/hashes.small.low.bincode"));
    let view = json(&ran);
    assert_eq!((&view["status"], &view["exit_code"]), (&json!("partly proven"), &json!(5)));
    assert_eq!((&view["proven"], &view["failed"], &view["proofs_at_once"]), (&json!(3), &json!(1), &json!(2)));
    assert!(view["seconds_per_proof"].as_f64().unwrap() * 3.0 <= view["seconds"].as_f64().unwrap() * 1.001);
    let jobs = view["jobs"].as_array().unwrap();
    let of = |key: &str| jobs.iter().map(|job| job[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("line"), [1, 2, 3, 4].map(Value::from));
    assert_eq!(of("status"), ["proven", "usage", "proven", "proven"].map(Value::from));
    assert_eq!(jobs[0]["statement"]["output"], json!(["0x90"]));
    assert_eq!(jobs[1]["exit_code"], 2);
}

#[test]
fn a_list_may_come_from_standard_input_and_proofs_go_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("proofs")).unwrap();
    fs::copy(vectors("cairo/programs/tiny.json"), folder.path().join("tiny.json")).unwrap();
    let mut command = command();
    command.current_dir(folder.path()).args(["cairo", "prove", "--batch", "-", "-o", "proofs"]).args(LOW);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    let lines = ["a", "b"].map(|output| format!("{{\"program\": \"tiny.json\", \"output\": \"{output}\"}}"));
    child.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
    for name in ["proofs/a", "proofs/b"] {
        assert!(is_proof(&folder.path().join(name), "cairo/proofs/tiny.small.low.bincode"));
    }
    for needed in ["line 2: proven and verified in", "2 proven and verified, 0 failed", "1 in proof, 1 run ahead"] {
        assert!(ran.stdout.contains(needed), "{needed}: {ran:?}");
    }
    // A message on both proofs is printed once.
    assert_eq!(ran.stderr.matches("80 are required; --security claimed-8 admits it").count(), 1, "{ran:?}");
}

#[test]
fn a_bad_list_is_refused_before_any_work() {
    let tiny = vectors("cairo/programs/tiny.json");
    let good = json!({"program": tiny, "output": "first"});
    let refused = |bad: Value, needed: &[&str]| {
        let list = Listed::new(&[good.clone(), bad]);
        fs::create_dir(list.at("folder")).unwrap();
        fs::copy(&tiny, list.at("tiny.json")).unwrap();
        let ran = list.prove(&["--spans", text(&list.at("trace"))]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(needed.iter().all(|needed| ran.stderr.contains(needed)), "{needed:?}: {ran:?}");
        assert!(fs::read(list.at("tiny.json")).unwrap() == fs::read(&tiny).unwrap(), "the program was overwritten");
        assert!(list.files().iter().all(|name| ["folder", "tiny.json", "trace"].contains(&name.as_str())), "{ran:?}");
    };
    let same = "name the same file";
    refused(json!({"program": tiny, "output": "first", "colour": 1}), &["line 2: ", "unknown field `colour`"]);
    refused(json!({"program": tiny, "output": "folder/../first"}), &["line 1 (-o) and line 2 (-o)", same]);
    refused(json!({"program": tiny, "output": "second", "raw": "first"}), &["line 1 (-o) and line 2 (--raw)", same]);
    refused(json!({"program": "tiny.json", "output": "tiny.json"}), &["line 2 (PROGRAM) and line 2 (-o)", same]);
    refused(json!({"program": tiny, "output": "list"}), &["--batch and line 2 (-o)", same]);
    refused(json!({"program": tiny, "output": "trace"}), &["line 2 (-o) and --spans", same]);
    refused(json!({"program": "none.json", "output": "second"}), &["line 2: ", "none.json"]);
    refused(json!({"program": "folder", "output": "second"}), &["line 2: ", "this is a folder"]);
    refused(json!({"program": tiny, "args_file": "none.json", "output": "second"}), &["line 2: ", "none.json"]);
    refused(json!({"program": tiny, "output": "none/second"}), &["line 2: ", "none/second"]);
    refused(json!({"program": tiny, "output": "folder"}), &["line 2: ", "this is a folder"]);
    assert!(Listed::new(&[]).prove(&[]).stderr.contains("no line names a program"));
    let list = Listed::new(&[good]);
    let ran = list.prove(&["--spans", text(&list.at("list"))]);
    assert!(ran.code == 2 && ran.stderr.contains("--batch and --spans name the same file"), "{ran:?}");
    assert!(!fs::read(list.at("list")).unwrap().is_empty() && list.files().is_empty(), "{:?}", list.files());
}

#[test]
fn flags_of_one_program_are_not_for_many() {
    let list = Listed::new(&[json!({"program": vectors("cairo/programs/tiny.json"), "output": "proof"})]);
    for more in [&["--args", "1"][..], &["--raw", "raw"], &["--program-type", "json"], &["program"], &["--jobs", "0"]] {
        assert_eq!(list.prove(more).code, 2, "{more:?}");
    }
    assert_eq!(list.files(), [""; 0]);
    let tiny = vectors("cairo/programs/tiny.json");
    assert_eq!(run(["cairo", "prove", text(&tiny)]).code, 2, "without -o");
    assert_eq!(run(["cairo", "prove", text(&tiny), "-o", "proof", "--jobs", "2"]).code, 2, "--jobs without --batch");
}
