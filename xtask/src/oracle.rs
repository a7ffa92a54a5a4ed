//! The differential test against stwo's own prover. That prover needs nightly Rust, which not every machine has: where none
//! builds it, the step says so and why, and passes.

use std::process::{Command, Output};

use crate::run;

/// CI waits no longer for a build; what was built by then is kept for the next run.
const BUILD_SECONDS: &str = "420";

/// Compares proofs of random statements for at most the given time; the seed is of the cases.
pub(crate) fn all(seconds: u64, seed: u64) -> crate::Result {
    let version = nightly(&["rustc", "--version"])?;
    if !version.status.success() {
        let text = String::from_utf8_lossy(&version.stderr);
        println!("oracle: not run: there is no nightly toolchain ({})", first_error(&text));
        return Ok(());
    }
    println!("oracle: {}", String::from_utf8_lossy(&version.stdout).trim());
    // Tests of the comparison first, so that it is known to find what it looks for; then the program itself.
    for arguments in [&["test", "--lib"][..], &["build", "--bin", "differential"]] {
        let build = nightly(&[&["cargo"][..], arguments, &["--release"]].concat())?;
        if build.status.success() {
            continue;
        }
        if build.status.code() == Some(124) {
            println!(
                "oracle: not run: this machine does not build it within {BUILD_SECONDS} s; run `cargo xtask oracle` again"
            );
            return Ok(());
        }
        let text = String::from_utf8_lossy(&build.stderr);
        return match text.lines().find_map(broken_crate) {
            Some(name) if !is_ours(name) => {
                println!("oracle: not run: this nightly does not build {name}: {}", first_error(&text));
                Ok(())
            }
            _ => Err(format!("oracle: cargo {}: {}\n{text}", arguments.join(" "), build.status)),
        };
    }
    let (seconds, seed) = (seconds.to_string(), seed.to_string());
    let program = run::root().join("oracle/target/release/differential");
    let status = Command::new(&program)
        .args(["--cases", "100000", "--seconds", &seconds, "--seed", &seed])
        .status()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if status.success() { Ok(()) } else { Err(format!("oracle: the differential test ended with {status}")) }
}

/// A command of the nightly toolchain, in the oracle's folder, whose settings cargo reads.
fn nightly(command: &[&str]) -> Result<Output, String> {
    println!("+ {}", command.join(" "));
    let mut run = Command::new("timeout");
    run.args([BUILD_SECONDS, "rustup", "run", "nightly"]).args(command).current_dir(run::root().join("oracle"));
    // What the outer cargo tells its children is of its own toolchain. Without optimisation across crates the build takes
    // half as long, and the programs are as right.
    run.env_remove("RUSTC").env_remove("CARGO").env("CARGO_PROFILE_RELEASE_LTO", "off");
    run.output().map_err(|error| format!("timeout rustup: {error}"))
}

/// The crate of a line "error: could not compile `NAME` (lib) due to ...".
fn broken_crate(line: &str) -> Option<&str> {
    line.split_once("could not compile `")?.1.split('`').next()
}

fn is_ours(name: &str) -> bool {
    name == "oracle" || run::root().join("crates").join(name).is_dir()
}

fn first_error(text: &str) -> &str {
    text.lines().find(|line| line.starts_with("error")).unwrap_or("no message")
}
