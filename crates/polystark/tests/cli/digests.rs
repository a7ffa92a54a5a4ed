//! Every row of the vectors' `digests.tsv`, on every processor backend, for one and two threads.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::common::{run, text};

fn check(backend: &str, threads: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/goldilocks/digests.tsv");
    let table = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let folder = tempfile::tempdir().unwrap();
    let (file, raw) = (folder.path().join("file"), folder.path().join("raw"));
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let &[air, n, params, blowup, queries, grinding, offset, seed, length, digest] = cells.as_slice() else {
            panic!("a row of another shape: {line}");
        };
        let mut arguments = vec!["prove", "--air", air, "--rows", n, "--blowup", blowup, "--queries", queries];
        arguments.extend(["--grinding", grinding, "--coset-offset", offset]);
        let seed = if seed == "-" { "" } else { seed };
        arguments.extend(["--transcript-seed", seed]);
        arguments.extend(["--backend", backend, "--threads", threads, "-o", text(&file), "--raw", text(&raw)]);
        if params != "-" {
            arguments.extend(["--param", params]);
        }
        let ran = run(&arguments);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        let proof = std::fs::read(&raw).unwrap();
        assert_eq!(proof.len().to_string(), length, "{line}");
        assert_eq!(hex::encode(Sha256::digest(&proof)), digest, "{line}");

        let ran = run([
            "verify",
            text(&file),
            "--min-security-bits",
            "0",
            "--expect-air",
            air,
            "--expect-rows",
            n,
            "--expect-seed",
            seed,
        ]);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        rows += 1;
    }
    assert_eq!(rows, 23);
}

#[test]
fn cpu_with_one_thread() {
    check("cpu", "1");
}

#[test]
fn cpu_with_two_threads() {
    check("cpu", "2");
}

#[test]
fn reference_with_one_thread() {
    check("cpu-reference", "1");
}

#[test]
fn reference_told_to_use_two_threads() {
    check("cpu-reference", "2");
}
