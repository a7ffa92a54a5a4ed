//! The differential test against stwo's own prover. Stwo's prover needs nightly Rust, which not every machine has:
//! where none builds it, the step says so and why, and passes.

use std::process::{Command, Output};

use crate::{nightly, run};

/// CI waits no longer for a build; units built by then are kept for the next run.
const BUILD_SECONDS: &str = "420";

/// Compares proofs of random statements for at most the given time; the seed is of the cases.
pub(crate) fn all(seconds: u64, seed: u64) -> crate::Result {
    // Tests of the comparison first, so that it is known to find differences; then the program itself.
    let tests = &["test", "--lib", "--release"];
    let programs = &["build", "--bin", "differential", "--bin", "gkr", "--release"];
    if !nightly::builds("oracle", "nightly", [tests, programs], in_folder)? {
        return Ok(());
    }
    // Three seconds: the seeds of `vectors/gkr`.
    program("gkr", &["--cases", "500"])?;
    let (seconds, seed) = (seconds.to_string(), seed.to_string());
    program("differential", &["--cases", "100000", "--seconds", &seconds, "--seed", &seed])
}

/// Runs a program of the oracle.
fn program(name: &str, arguments: &[&str]) -> crate::Result {
    let program = run::root().join("oracle/target/release").join(name);
    let status =
        Command::new(&program).args(arguments).status().map_err(|error| format!("{}: {error}", program.display()))?;
    if status.success() { Ok(()) } else { Err(format!("oracle: {name} ended with {status}")) }
}

/// A command of the nightly toolchain, in the oracle's folder.
fn in_folder(arguments: &[&str]) -> Result<Output, String> {
    let mut command = nightly::command(&run::root().join("oracle"), BUILD_SECONDS, arguments);
    // Without optimisation across crates and without line numbers the build takes half as long, and the programs are as
    // right.
    command.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_DEBUG", "none");
    nightly::output(command)
}
