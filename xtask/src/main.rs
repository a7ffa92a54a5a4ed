//! Build tasks: `cargo xtask ci` is what `.ci/run` calls after the tests.
#![forbid(unsafe_code)]

#[cfg(test)]
mod architecture;
mod bundle;
mod cairo_oracle;
mod ci;
mod circles;
mod clock;
mod coverage;
mod cross;
mod deny;
mod determinism;
mod dist;
mod farm;
mod features;
mod fuzz;
mod hex;
mod kernels;
mod metal;
mod miri;
mod nightly;
mod oracle;
mod package;
mod python;
mod run;
mod sanitize;
mod sources;
mod subjects;
mod toy;
mod wasm;
mod width;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Build tasks of Polystark")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Everything that CI checks beside the tests: format, circles, lints, features, docs, the toy backend,
    /// dependencies, packages, AArch64, Metal, README's proof, the Debian package, WebAssembly, kernels for NVIDIA's
    /// and Apple's GPUs, sanitizers, a short fuzz, the farm under failures, compact and Circle proofs in Python;
    /// Miri and stwo's proofs if there is time.
    Ci,
    /// Formatting of every workspace, and of comments and pages: their width, and the words that they begin with.
    Fmt,
    /// No files of a crate use each other in circles.
    Circles,
    /// The verifier of compact proofs in Python, which was written from the text of the format: proofs, changed ones,
    /// and the figures of the text.
    Compact,
    /// Can two rows of a component differ that agree in its inputs? Facts and a solver (cvc5, from PyPI) about every
    /// shipped AIR and all components of Cairo programs and circuits, also with constraints left out one at a time.
    Determinism {
        /// Leaves out every constraint, not some of each component.
        #[arg(long)]
        all: bool,
    },
    /// The verifier of Circle proofs and of Cairo's statement in Python, which was written from the texts of both:
    /// golden proofs, changed ones, and forged ones that each check refuses.
    CirclePython,
    /// Clippy with warnings as errors, all targets.
    Clippy,
    /// Rustdoc with warnings as errors.
    Docs,
    /// Verifiers without a host: for targets without the standard library, as WebAssembly next to the command line, and
    /// the page around it in a browser, if there is one.
    Wasm,
    /// The README's first command: a statement is proven and verified, and its program without Cairo says so.
    Prove,
    /// Proofs on docs/toy-backend as a shared library that the program loads.
    Toy,
    /// Licences, sources, duplicates and advisories of every dependency.
    Deny,
    /// The library with the features that docs/install.md lists: warnings, and how many crates it builds.
    Features,
    /// Every published package, packed and built from its package.
    Package,
    /// The code for AArch64 and for Metal, checked by clippy.
    Cross,
    /// Operations of the CPU backend under Miri, if there is a nightly toolchain that has it.
    Miri,
    /// Every GPU kernel compiled for three architectures without a GPU, with its resources; fails on spilled registers.
    Kernels,
    /// Builds the distribution in target/dist: the program, a Debian package, a bill of materials, checksums; made
    /// twice, installed and used.
    Dist(dist::Options),
    /// The kernels of all AIRs and of Cairo's components, compiled for GPUs that are elsewhere: target/kernels.
    ShipKernels {
        /// Architectures, by compute capability without the point; p90 is text that newer ones take.
        #[arg(long, default_value = "80,89,90,100,120,p120")]
        arch: String,
    },
    /// Every GPU kernel in Metal's dialect, address spaces included, checked by clang.
    Metal,
    /// The kernels on the emulated GPU under the address and the undefined-behaviour sanitizer: conformance suite,
    /// proofs, and cases of every operation and every round that are the same each time.
    Sanitize,
    /// The farm with real servers on loopback, of which some are killed, stopped, full: no job is lost.
    Farm,
    /// One folder with everything to test and to measure on a GPU host without Rust: target/gpu-bundle.
    GpuBundle,
    /// Fuzzing of everything that reads untrusted bytes, coverage-guided where libFuzzer does it, and of every
    /// operation and every round: over the corpora, and a fixed number of new cases for each target.
    Fuzz {
        /// Times the number of new cases that `ci` runs.
        #[arg(long, default_value_t = 1)]
        times: u64,
    },
    /// Weakens every check of the verifiers, one at a time, and runs the tests: each must notice. No part of `ci`: it
    /// takes an hour.
    Mutate {
        /// For `xtask/mutate`: files or folders, `--package NAME`, `--list`; none for all of
        /// `xtask/mutate/mutate.toml`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Lines of verifiers and codecs that their tests execute, by file; fails below 95 % of a crate. No part of `ci`:
    /// it compiles them anew.
    Coverage,
    /// Proofs of random statements next to proofs of stwo's own prover, if there is a nightly toolchain that builds it.
    Oracle {
        /// Seconds, the build not counted.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Seed of the statements.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Proofs of random Cairo programs next to proofs of stwo-cairo's own prover, if its toolchain is there; no part of
    /// `ci`: a case takes about ten seconds of a processor.
    CairoOracle {
        /// Programs.
        #[arg(long, default_value_t = 300)]
        cases: u64,
        /// Seed of the first case; the other seeds follow.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Curve operations too, with preprocessed columns that take six times the memory.
        #[arg(long)]
        with_ec: bool,
        /// The hash functions of trees and transcript: blake2s, blake2s_m31 or poseidon252, with which the reference
        /// takes minutes of a processor a case.
        #[arg(long, default_value = "blake2s")]
        channel: String,
    },
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let task = Arguments::parse().task;
    match clock::timed(&name, || execute(task)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {name} failed: {error}");
            ci::note(&error);
            ExitCode::FAILURE
        }
    }
}

fn execute(task: Task) -> Result {
    match task {
        Task::Ci => ci::all(),
        Task::Fmt => fmt(),
        Task::Circles => circles::all(),
        Task::Compact => compact(),
        Task::Determinism { all } => determinism::ask(all),
        Task::CirclePython => circle_python(),
        Task::Clippy => clippy(),
        Task::Docs => docs(),
        Task::Wasm => wasm::all(),
        Task::Prove => prove(),
        Task::Toy => toy::all(),
        Task::Deny => deny::all(),
        Task::Dist(wanted) => dist::all(&wanted),
        Task::Features => features::all(),
        Task::Package => package::all(),
        Task::Cross => cross::all(),
        Task::Miri => miri::all(),
        Task::Kernels => kernels::all(),
        Task::ShipKernels { arch } => kernels::ship(&arch),
        Task::Metal => metal::all(),
        Task::Sanitize => sanitize::all(),
        Task::Farm => farm::all(),
        Task::GpuBundle => bundle::make(),
        Task::Fuzz { times } => fuzz::all(times),
        Task::Coverage => coverage::all(),
        Task::Mutate { arguments } => mutate(&arguments),
        Task::Oracle { seconds, seed } => oracle::all(seconds, seed),
        Task::CairoOracle { cases, seed, with_ec, channel } => cairo_oracle::all(cases, seed, with_ec, &channel),
    }
}

/// Every workspace of the repository, the main one first.
const WORKSPACES: [&str; 6] =
    ["Cargo.toml", "fuzz/Cargo.toml", "bench-peers/Cargo.toml", "oracle/Cargo.toml", "oracle/cairo/Cargo.toml", MUTATE];
/// A workspace of its own for a feature of a crate that all macros stand on.
const MUTATE: &str = "xtask/mutate/Cargo.toml";

type Result = std::result::Result<(), String>;

fn mutate(arguments: &[String]) -> Result {
    let run = ["run", "--manifest-path", MUTATE, "--target-dir", "target/mutate/tool", "--"];
    run::cargo(&[&run[..], &arguments.iter().map(String::as_str).collect::<Vec<_>>()].concat())
}

fn fmt() -> Result {
    width::check()?;
    subjects::check()?;
    run::cargo(&["fmt", "--all", "--check"])?;
    WORKSPACES[1..].iter().try_for_each(|manifest| run::cargo(&["fmt", "--manifest-path", manifest, "--check"]))
}

fn compact() -> Result {
    in_python("crates/goldilocks-verifier/tests/python")
}

fn circle_python() -> Result {
    in_python("crates/circle-proof/tests/python")
}

/// The tests in a folder of Python.
fn in_python(folder: &str) -> Result {
    let tests = run::root().join(folder);
    run::program(
        "python3",
        &["-m", "unittest", "discover", "--start-directory", &tests.to_string_lossy()],
        &[("PYTHONDONTWRITEBYTECODE", "1")],
    )
}

fn clippy() -> Result {
    let lints = ["--all-targets", "--", "-D", "warnings"];
    run::cargo(&[&["clippy", "--workspace"][..], &lints].concat())
}

fn docs() -> Result {
    run::cargo_with(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])
}

fn prove() -> Result {
    let directory = run::target_directory("readme");
    std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let file = directory.join("fib.polystark");
    let file = file.to_str().ok_or("the target folder's path is not UTF-8")?;
    let polystark = ["run", "-p", "polystark", "--no-default-features", "--features", "cli", "--"];
    let prove = ["prove", "--air", "fibonacci", "--rows", "65536", "-o", file];
    run::cargo(&[&polystark[..], &prove[..]].concat())?;
    run::cargo(&[&polystark[..], &["verify", file][..]].concat())?;
    without_cairo(&run::target_directory("debug/polystark"))
}

/// A program without Cairo says so.
fn without_cairo(program: &std::path::Path) -> Result {
    let output = |arguments: &[&str]| {
        let output = std::process::Command::new(program).args(arguments).output();
        output.map_err(|error| format!("{}: {error}", program.display()))
    };
    let refused = output(&["cairo", "verify", "fib.proof"])?;
    let message = String::from_utf8_lossy(&refused.stderr);
    if refused.status.code() != Some(2) || !message.contains("feature `cairo-vm`") {
        return Err(format!("a program without Cairo does not name the feature that it lacks: {message}"));
    }
    let help = output(&["--help"])?;
    if String::from_utf8_lossy(&help.stdout).contains("cairo") {
        return Err("a program without Cairo lists its commands".to_owned());
    }
    Ok(())
}
