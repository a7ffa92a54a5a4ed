//! Fuzzing on the pinned toolchain: libFuzzer needs coverage counters, which stable Rust gives; the fuzzed crates forbid
//! unsafe code, so no sanitizer (nightly) is needed.

use std::process::Command;

use crate::run;

/// The targets of `fuzz/Cargo.toml`, each with the files that it starts from.
const TARGETS: [(&str, &str); 5] = [
    ("decode_proof", "vectors/goldilocks"),
    ("decode_air", "fuzz/corpus/decode_air"),
    ("decode_file", "fuzz/corpus/decode_file"),
    ("verify", "vectors/goldilocks"),
    ("circle", "vectors/circle"),
];

const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1";

/// Runs every target for the given time, from the committed vectors and files. What it finds new stays below `target/`.
pub(crate) fn all(seconds: u32) -> crate::Result {
    let build =
        ["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", HOST, "--target-dir", "target/fuzz"];
    run::cargo_with(&build, &[("RUSTFLAGS", COVERAGE)])?;
    run::each(&TARGETS, |(target, seeds)| fuzz(target, seeds, seconds)).into_iter().collect()
}

/// Runs a target, which takes one core, and shows what it says when it has ended.
fn fuzz(target: &str, seeds: &str, seconds: u32) -> crate::Result {
    let corpora = run::target_directory("fuzz-corpus");
    let corpus = corpora.join(target);
    std::fs::create_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    let program = run::target_directory("fuzz").join(HOST).join("release").join(target);
    let output = Command::new(&program)
        .current_dir(run::root())
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", corpora.display()))
        .args(["-rss_limit_mb=2048", "-malloc_limit_mb=64"])
        .args([&corpus, &run::root().join(seeds)])
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    println!("+ {target} for {seconds} s\n{}", String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(()) } else { Err(format!("fuzz: {target} ended with {}", output.status)) }
}

// With an explicit target, RUSTFLAGS leave build scripts and procedural macros alone.
const HOST: &str = if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" };
