//! AIRs and traces as files: `record` writes them, `prove --air-file --trace-file` proves with them, and
//! `verify --air-file` takes them.

use std::path::{Path, PathBuf};

use polystark::air::Trace;
use polystark::air::airs::{ExampleAir, Fibonacci2Columns};
use polystark::field::{Field, Goldilocks};
use polystark::{Goldilocks3, air_file_name};
use tempfile::TempDir;

use super::common::{json, npy, run, text, words};

const ROWS: u64 = 64;

fn trace() -> Trace<Goldilocks> {
    ExampleAir::<Goldilocks3>::trace(&Fibonacci2Columns::new(ROWS).expect("64 rows"))
}

/// A folder with an AIR and an honest trace of it.
struct Files {
    folder: TempDir,
    air: PathBuf,
    trace: PathBuf,
    proof: PathBuf,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let [air, trace_file, proof] = ["air", "trace.npy", "proof"].map(|name| folder.path().join(name));
        let ran = words("record --air fibonacci-2-columns --rows 64", &["-o", text(&air)]);
        assert_eq!(ran.code, 0, "{ran:?}");
        std::fs::write(&trace_file, npy(&trace())).expect("there is room");
        Self { folder, air, trace: trace_file, proof }
    }

    fn prove(&self, trace: &Path) -> super::common::Ran {
        let files = ["--air-file", text(&self.air), "--trace-file", text(trace), "-o", text(&self.proof)];
        words("prove --backend cpu --grinding 0 --queries 4 --security claimed-0 --json", &files)
    }
}

#[test]
fn statements_that_are_files_are_proven_and_verified() {
    let files = Files::new();
    let name = air_file_name(&std::fs::read(&files.air).unwrap());
    let proven = files.prove(&files.trace);
    assert_eq!(proven.code, 0, "{proven:?}");
    assert_eq!(json(&proven)["statement"]["air"], name);
    // Without the file of the AIR nobody can decide about its constraints.
    let unknown = words("verify --security conjectured-0", &[text(&files.proof)]);
    assert!(unknown.code == 2 && unknown.stderr.contains(&name), "{unknown:?}");
    let verify =
        |air: &Path| words("verify --security conjectured-0 --json", &[text(&files.proof), "--air-file", text(air)]);
    let valid = verify(&files.air);
    assert_eq!(valid.code, 0, "{valid:?}");
    assert_eq!(json(&valid)["statement"]["public_inputs"], serde_json::json!(["1", "1"]));
    let inspected = run(["inspect", text(&files.proof), "--air-file", text(&files.air)]);
    assert!(inspected.code == 0 && inspected.stdout.contains("conjectured"), "{inspected:?}");
    // Another AIR is another name.
    let other = files.folder.path().join("other");
    words("record --air fibonacci-2-columns --rows 128", &["-o", text(&other)]);
    let refused = verify(&other);
    assert!(refused.code == 1 && refused.stderr.contains("expected"), "{refused:?}");
}

#[test]
fn traces_that_are_wrong_are_refused() {
    let files = Files::new();
    let changed = files.folder.path().join("changed.npy");
    let refused = |bytes: &[u8], code: i32, expected: &str| {
        std::fs::write(&changed, bytes).unwrap();
        let ran = files.prove(&changed);
        assert!(ran.code == code && ran.stdout.contains(expected), "{expected}: {ran:?}");
        assert!(!files.proof.exists(), "{expected}");
    };
    let mut wrong = trace();
    wrong.set(7, 1, wrong.get(7, 1) + Goldilocks::ONE);
    refused(&npy(&wrong), 1, "satisf");
    let short = Trace::from_columns(vec![trace().column(0).to_vec()]).unwrap();
    refused(&npy(&short), 2, "1 columns");
    refused(&npy(&trace())[..200], 2, "truncated");
    refused(b"column,column\n1,1\n", 2, "neither");
    let mut bytes = npy(&trace());
    let last = bytes.len() - 8;
    bytes[last..].fill(0xff);
    refused(&bytes, 2, "column 1, row 63: 18446744073709551615 is no element");
}

#[test]
fn arguments_that_do_not_go_together_are_refused() {
    let files = Files::new();
    let both = ["--air-file", text(&files.air), "--trace-file", text(&files.trace), "-o", text(&files.proof)];
    for (line, expected) in [
        ("prove --air quadratic --rows 64", "cannot be used with"),
        ("prove --rows 64", "cannot be used with"),
        ("prove --protocol circle", "leave --protocol out"),
        ("prove --param a=1", "no parameter `a`"),
        ("prove --trace-from device", "cannot be used with"),
    ] {
        let ran = words(line, &both);
        assert!(ran.code == 2 && ran.stderr.contains(expected), "{line}: {ran:?}");
    }
    let ran =
        run(["prove", "--air-file", text(&files.trace), "--trace-file", text(&files.air), "-o", text(&files.proof)]);
    assert!(ran.code == 2 && ran.stderr.contains("no AIR that `polystark record` wrote"), "{ran:?}");
    // Components with code of their own are no data.
    let ran = words("record --protocol circle --air fibonacci --rows 64", &["-o", text(&files.proof)]);
    assert!(ran.code == 2 && ran.stderr.contains("code of their own"), "{ran:?}");
}
