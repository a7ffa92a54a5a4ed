//! CairoPIEs and bootloaders on the command line: written, shown, run.

use std::fs;
use std::path::PathBuf;

use super::common::{json, run, text};

fn vectors(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path)
}

#[test]
fn a_pie_is_written_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let program = vectors("pies/src/fib.json");
    for file in [&first, &second] {
        let ran = run(["cairo", "run", text(&program), "--pie", text(file), "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(json(&ran)["status"], "run");
    }
    assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap());
    let shown = |file: &PathBuf| {
        let ran = run(["cairo", "inspect", text(file), "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let mut view = json(&ran);
        let _ = ["file", "file_bytes"].map(|key| view.as_object_mut().unwrap().remove(key));
        view
    };
    let view = shown(&first);
    assert_eq!(view, shown(&vectors("pies/fib.zip")));
    assert_eq!(
        (&view["version"], &view["steps"], &view["output"][0]),
        (&"1.1".into(), &274.into(), &"0x9de8d6d".into())
    );
    assert_eq!((&view["segments"][1]["name"], &view["segments"][1]["size"]), (&"execution".into(), &229.into()));
    let ran = run(["cairo", "inspect", text(&first)]);
    assert!(ran.code == 0 && ran.stdout.contains("pedersen: 1 results"), "{ran:?}");
    fs::write(&second, &fs::read(&first).unwrap()[..1000]).unwrap();
    let ran = run(["cairo", "inspect", text(&second)]);
    assert!(ran.code == 2 && ran.stderr.contains("no zip archive, or its end is cut off"), "{ran:?}");
}

#[test]
fn tasks_run_in_a_bootloader() {
    let folder = tempfile::tempdir().unwrap();
    let [list, preimage, topologies] =
        ["list.json", "preimage.json", "topologies.json"].map(|name| folder.path().join(name));
    let pie = vectors("pies/fib.zip");
    let task =
        format!("{{\"type\": \"CairoPiePath\", \"path\": {:?}, \"program_hash_function\": \"blake\"}}", text(&pie));
    let files = format!("\"output_preimage_dump_path\": {:?}", text(&preimage));
    fs::write(&list, format!("{{\"tasks\": [{task}], \"single_page\": true, {files}}}")).unwrap();
    let ran = run(["cairo", "run", "--tasks", text(&list), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let hashed: Vec<String> = serde_json::from_slice(&fs::read(&preimage).unwrap()).unwrap();
    assert_eq!(hashed[..2], ["0x1", "0x5"]);
    assert_eq!(json(&ran)["output"].as_array().unwrap().len(), 1);
    // The simple one puts the same out as it is.
    let files = format!("\"fact_topologies_path\": {:?}", text(&topologies));
    fs::write(&list, format!("{{\"tasks\": [{task}], \"single_page\": true, {files}}}")).unwrap();
    let ran = run(["cairo", "run", text(&list), "--program-type", "tasks", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(json(&ran)["output"], serde_json::json!(hashed));
    let written = fs::read_to_string(&topologies).unwrap();
    assert_eq!(written, "{\"fact_topologies\":[{\"tree_structure\":[1,0],\"page_sizes\":[3]}]}");
    let ran = run(["cairo", "run", text(&list), "--program-type", "tasks", "--program-input", text(&topologies)]);
    assert!(ran.code == 2 && ran.stderr.contains("--program-input"), "{ran:?}");
    for (list, needed) in [(vectors("pies/runs.json"), "no list of tasks"), (vectors("no such list"), "no such list")] {
        let ran = run(["cairo", "run", "--tasks", text(&list)]);
        assert!(ran.code == 2 && ran.stderr.contains(needed), "{ran:?}");
    }
}

#[test]
fn files_of_a_list_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let [list, batch, pie, other] =
        ["list.json", "batch.jsonl", "fib.zip", "other"].map(|name| folder.path().join(name));
    fs::copy(vectors("pies/fib.zip"), &pie).unwrap();
    let before = fs::read(&pie).unwrap();
    let write = |preimage: &str| {
        let task =
            format!("{{\"type\": \"CairoPiePath\", \"path\": {:?}, \"program_hash_function\": \"blake\"}}", text(&pie));
        let files = format!("\"output_preimage_dump_path\": {preimage:?}");
        fs::write(&list, format!("{{\"tasks\": [{task}], \"single_page\": true, {files}}}")).unwrap();
    };
    write(text(&other));
    let line = format!("{{\"program\": {:?}, \"program_type\": \"tasks\", \"output\": {:?}}}", text(&list), text(&pie));
    fs::write(&batch, line).unwrap();
    for arguments in [
        &["--tasks", text(&list), "-o", text(&pie)][..],
        &["--tasks", text(&list), "-o", text(&other)],
        &["--batch", text(&batch)],
    ] {
        let ran = run([&["cairo", "prove"][..], arguments].concat());
        assert!(ran.code == 2 && ran.stderr.contains("name the same file"), "{ran:?}");
    }
    write(text(&pie));
    let ran = run(["cairo", "run", "--tasks", text(&list)]);
    assert!(ran.code == 2 && ran.stderr.contains("name the same file"), "{ran:?}");
    write("-");
    let ran = run(["cairo", "run", "--tasks", text(&list)]);
    assert!(ran.code == 2 && ran.stderr.contains("`-` is no file"), "{ran:?}");
    assert!(fs::read(&pie).unwrap() == before && !other.exists());
}
