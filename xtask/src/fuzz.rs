//! Fuzzing on the pinned toolchain: libFuzzer needs coverage counters, which stable Rust gives; the fuzzed crates forbid
//! unsafe code, so no sanitizer (nightly) is needed.

use crate::run;

/// The targets of `fuzz/Cargo.toml`, each with the files that it starts from.
const TARGETS: [(&str, &str); 4] = [
    ("decode_proof", "vectors/goldilocks"),
    ("decode_file", "fuzz/corpus/decode_file"),
    ("verify", "vectors/goldilocks"),
    ("circle", "vectors/circle"),
];

const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1";

/// Runs every target for the given time, from the committed vectors and files. What it finds new stays below `target/`.
pub(crate) fn all(seconds: u32) -> crate::Result {
    for (target, seeds) in TARGETS {
        let corpus = run::target_directory("fuzz-corpus").join(target);
        std::fs::create_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
        let seeds = run::root().join(seeds);
        let limit = format!("-max_total_time={seconds}");
        let artifacts = format!("-artifact_prefix={}/", run::target_directory("fuzz-corpus").display());
        run::cargo_with(
            &[
                "run",
                "--release",
                "--manifest-path",
                "fuzz/Cargo.toml",
                "--target",
                HOST,
                "--target-dir",
                "target/fuzz",
                "--bin",
                target,
                "--",
                &limit,
                &artifacts,
                "-rss_limit_mb=2048",
                "-malloc_limit_mb=64",
                &corpus.to_string_lossy(),
                &seeds.to_string_lossy(),
            ],
            &[("RUSTFLAGS", COVERAGE)],
        )?;
    }
    Ok(())
}

// With an explicit target, RUSTFLAGS leave build scripts and procedural macros alone.
const HOST: &str = if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" };
