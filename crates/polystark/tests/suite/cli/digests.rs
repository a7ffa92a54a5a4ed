//! Every row of the vectors' `digests.tsv`, on every processor backend, for one thread and where there can be two.

use golden::goldilocks::digests;
use sha2::{Digest, Sha256};

use super::common::{run, text};

fn check(backend: &str, threads: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (file, raw) = (folder.path().join("file"), folder.path().join("raw"));
    for case in digests() {
        let (name, rows, options) = (&case.name, case.rows.to_string(), case.options);
        let command = format!(
            "prove --format lambdaworks --security claimed-0 --air {} --rows {rows} --blowup {} --queries {} --grinding {} --coset-offset {} \
             --backend {backend} --threads {threads}",
            case.air, options.blowup, options.queries, options.grinding, options.coset_offset
        );
        let params: Vec<String> = case.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let seed = hex::encode(&case.seed);
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.extend(["--transcript-seed", &seed, "-o", text(&file), "--raw", text(&raw)]);
        arguments.extend(params.iter().flat_map(|param| ["--param", param]));
        let ran = run(&arguments);
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
        let proof = std::fs::read(&raw).unwrap();
        assert_eq!(proof.len(), case.length, "{name}");
        assert_eq!(hex::encode(Sha256::digest(&proof)), case.sha256, "{name}");

        let expect = ["--expect-air", &case.air, "--expect-rows", &rows, "--expect-seed", &seed];
        let ran = run([&["verify", text(&file), "--min-security-bits", "0"], &expect[..]].concat());
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
    }
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
