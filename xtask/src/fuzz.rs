//! Fuzzing: targets of libFuzzer, and campaigns of the same cases each on its own (docs/testing.md).
//!
//! Both run on the pinned toolchain: libFuzzer needs coverage counters, which stable Rust gives; the fuzzed crates
//! forbid unsafe code, so no sanitizer (nightly) is needed.

use std::path::PathBuf;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::run;

/// The targets of `fuzz/Cargo.toml`, each with the files that it starts from and how many new inputs it makes.
const TARGETS: [(&str, &str, u64); 8] = [
    ("decode_proof", "vectors/goldilocks", 150_000),
    ("decode_air", "fuzz/corpus/decode_air", 2_000_000),
    ("decode_file", "fuzz/corpus/decode_file", 3_000_000),
    ("verify", "vectors/goldilocks", 8_000),
    ("compact", "fuzz/corpus/compact", 3_000),
    ("key", "fuzz/corpus/key", 1_000_000),
    ("circle", "vectors/circle", 20_000),
    ("gkr", "fuzz/corpus/gkr", 50_000),
];

/// Cases of targets of campaigns, by a part of their names; the first that fits counts.
const CASES: [(&str, u64); 7] = [
    ("cairo-proof", 500),
    ("cairo-machines", 500),
    ("arguments", 1000),
    ("-executable", 500),
    ("/prove", 100),
    ("/rounds", 100),
    ("goldilocks/compact", 100),
];
/// Cases of each operation, and of all other targets.
const OPERATION_CASES: u64 = 50;
const OTHER_CASES: u64 = 4000;

const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1";

/// Runs every target over its corpus, and `times` the fixed number of new cases. Failures stay below `target/`.
pub(crate) fn all(times: u64) -> crate::Result {
    let build =
        ["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", HOST, "--target-dir", "target/fuzz"];
    run::cargo_with(&build, &[("RUSTFLAGS", COVERAGE)])?;
    run::each(&TARGETS, |(target, seeds, runs)| fuzz(target, seeds, runs * times))
        .into_iter()
        .collect::<crate::Result>()?;
    let list = run::output_of(campaigns()?, &["list"])?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let targets: Vec<&str> = list.lines().collect();
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    run::each(&targets, |target| campaign(target, seed, times)).into_iter().collect()
}

/// Runs a target, which takes one core, and shows its output when it has ended.
fn fuzz(target: &str, seeds: &str, runs: u64) -> crate::Result {
    let corpora = run::target_directory("fuzz-corpus");
    let corpus = corpora.join(target);
    std::fs::create_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    let program = run::target_directory("fuzz").join(HOST).join("release").join(target);
    let mut command = Command::new(&program);
    command
        .current_dir(run::root())
        .arg(format!("-runs={runs}"))
        .arg(format!("-artifact_prefix={}/", corpora.display()))
        .args(["-rss_limit_mb=2048", "-malloc_limit_mb=64"])
        .args([&corpus, &run::root().join(seeds)]);
    ended(&format!("{target} for {runs} runs"), command)
}

/// Runs a target of campaigns over its corpus, and then new cases.
fn campaign(target: &str, seed: u64, times: u64) -> crate::Result {
    let corpus = run::root().join("fuzz/corpus").join(target);
    if corpus.is_dir() {
        let mut command = Command::new(program());
        command.arg(target).arg("--replay").arg(&corpus);
        ended(&format!("{target} over its corpus"), command)?;
    }
    let other = if target.contains('/') { OPERATION_CASES } else { OTHER_CASES };
    let cases = CASES.iter().find(|(part, _)| target.contains(part)).map_or(other, |(_, cases)| *cases);
    let failed = run::target_directory("fuzz-corpus");
    std::fs::create_dir_all(&failed).map_err(|error| format!("{}: {error}", failed.display()))?;
    let mut command = Command::new(program());
    command.current_dir(failed).args([target, "--seed", &seed.to_string(), "--cases", &(cases * times).to_string()]);
    ended(&format!("{target} of seed {seed}"), command)
}

/// Runs it to its end, and shows its output.
fn ended(what: &str, mut command: Command) -> crate::Result {
    let output = command.output().map_err(|error| format!("{what}: {error}"))?;
    let [said, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    println!("+ {what}\n{errors}{said}");
    if output.status.success() { Ok(()) } else { Err(format!("fuzz: {what} ended with {}", output.status)) }
}

/// Builds the program of campaigns, with the emulated GPU, and says where it is.
pub(crate) fn campaigns() -> Result<PathBuf, String> {
    run::workspace_program("campaign", &["campaign/emulated"])
}

/// Where it is then.
fn program() -> PathBuf {
    run::target_directory("debug").join("campaign")
}

// With an explicit target, RUSTFLAGS leave build scripts and procedural macros alone.
const HOST: &str = if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" };
