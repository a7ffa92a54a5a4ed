//! The differential test against stwo-cairo's own prover. Stwo-cairo's prover needs a nightly Rust, which not every
//! machine has: where none builds it, the step says so and why, and passes.

use std::process::{Command, Output};

use crate::{nightly, run};

/// The nightly that stwo-cairo 1.3.0 is made with; others may not build it.
const TOOLCHAIN: &str = "nightly-2026-01-15";
const BUILD_SECONDS: &str = "3600";

/// Compares the proofs of `cases` random programs from a seed on, with a channel.
pub(crate) fn all(cases: u64, seed: u64, with_ec: bool, channel: &str) -> crate::Result {
    let version = in_folder(&["rustc", "--version"])?;
    if !version.status.success() {
        let text = String::from_utf8_lossy(&version.stderr);
        println!("cairo-oracle: not run: {TOOLCHAIN} is not there ({})", nightly::first_error(&text));
        return Ok(());
    }
    // Tests first: they hold the programs to the machine's rules, and are quick.
    for arguments in [&["test", "--lib"][..], &["build", "--bin", "differential"]] {
        let build = in_folder(&[&["cargo"][..], arguments, &["--release", "--ignore-rust-version"]].concat())?;
        if build.status.success() {
            continue;
        }
        if let Some(why) = nightly::excuse(&build) {
            println!("cairo-oracle: not run: {why}");
            return Ok(());
        }
        let text = String::from_utf8_lossy(&build.stderr);
        return Err(format!("cairo-oracle: cargo {}: {}\n{text}", arguments.join(" "), build.status));
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
