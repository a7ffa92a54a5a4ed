//! The commit that the program is built from, if it can be known: for `--version` and for reports of measurements.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the crate lies in its repository.
const PLACE: &str = "crates/cli/";
/// Digits of a commit that are shown.
const DIGITS: usize = 12;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=POLYSTARK_COMMIT");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let given = std::env::var("POLYSTARK_COMMIT").ok().filter(|commit| !commit.is_empty());
    // The build may name it; else the published package does, or else the repository that this crate is in.
    let commit = given.or_else(published).map(|commit| (commit, None)).or_else(checked_out);
    let Some((commit, date)) = commit.filter(|(commit, _)| commit.chars().all(|digit| digit.is_ascii_hexdigit()))
    else {
        println!("cargo:rustc-env=POLYSTARK_VERSION={version}");
        return;
    };
    let short: String = commit.chars().take(DIGITS).collect();
    let date = date.map(|date| format!(" {date}")).unwrap_or_default();
    println!("cargo:rustc-env=POLYSTARK_COMMIT={commit}");
    println!("cargo:rustc-env=POLYSTARK_VERSION={version} ({short}{date})");
}

/// The commit that Cargo writes into a package.
fn published() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The commit of the repository and its day, and when to look again: when another one is checked out or made.
fn checked_out() -> Option<(String, Option<String>)> {
    // A copy of this crate in another repository belongs to no commit of it.
    if git(&["rev-parse", "--show-prefix"])? != PLACE {
        return None;
    }
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let path = git(&["rev-parse", "--git-path", name]).map(PathBuf::from);
        // If a file is not there, Cargo takes it for changed.
        if let Some(path) = path.filter(|path| Path::exists(path)) {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
    let shown = git(&["log", "-1", "--format=%H %cs"])?;
    let (commit, date) = shown.split_once(' ')?;
    Some((commit.to_owned(), Some(date.to_owned())))
}

/// Git's output in the folder of the crate; nothing where there is no git, or no repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
