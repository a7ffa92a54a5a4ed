//! The differential test against stwo-cairo's own prover. Stwo-cairo's prover needs a nightly Rust, which not every
//! machine has: where none builds it, the step says so and why, and passes.

use std::process::{Command, Output};

use crate::{nightly, run};

/// The nightly that stwo-cairo 1.3.0 is made with; others may not build it.
const TOOLCHAIN: &str = "nightly-2026-01-15";
const BUILD_SECONDS: &str = "3600";

/// Compares the proofs of `cases` random programs from a seed on, with a channel.
pub(crate) fn all(cases: u64, seed: u64, with_ec: bool, channel: &str) -> crate::Result {
    // Tests first: they hold the programs to the machine's rules, and are quick.
    let tests = &["test", "--lib", "--release", "--ignore-rust-version"];
    let programs = &["build", "--bin", "differential", "--release", "--ignore-rust-version"];
    if !nightly::builds("cairo-oracle", TOOLCHAIN, [tests, programs], in_folder)? {
        return Ok(());
    }
    run::cargo(&["build", "--release", "-p", "polystark", "--bin", "polystark"])?;
    let variant = if with_ec { "canonical-without-pedersen" } else { "canonical-small" };
    let program = run::root().join("oracle/cairo/target/release/differential");
    let status = Command::new(&program)
        .args(["--cases", &cases.to_string(), "--seed", &seed.to_string(), "--preprocessed", variant])
        .args(["--channel", channel, "--polystark"])
        .arg(run::target_directory("release/polystark"))
        .status()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if status.success() { Ok(()) } else { Err(format!("cairo-oracle: the differential test ended with {status}")) }
}

/// A command of the toolchain, in the oracle's folder.
fn in_folder(arguments: &[&str]) -> Result<Output, String> {
    let mut command = nightly::command_of(TOOLCHAIN, &run::root().join("oracle/cairo"), BUILD_SECONDS, arguments);
    // Without optimisation across crates the build takes half as long.
    command.env("CARGO_PROFILE_RELEASE_LTO", "off");
    nightly::output(command)
}
