//! Running cargo from the repository's root.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

/// A folder below `target/`.
pub(crate) fn target_directory(name: &str) -> PathBuf {
    root().join("target").join(name)
}

/// `cargo ARGUMENTS`, which must succeed.
pub(crate) fn cargo(arguments: &[&str]) -> crate::Result {
    cargo_with(arguments, &[])
}

/// `cargo ARGUMENTS` with more environment, which must succeed.
pub(crate) fn cargo_with(arguments: &[&str], environment: &[(&str, &str)]) -> crate::Result {
    println!("+ cargo {}", arguments.join(" "));
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root()).args(arguments).envs(environment.iter().copied());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo {} ended with {status}", arguments.join(" "))),
        Err(error) => Err(format!("cargo {}: {error}", arguments.join(" "))),
    }
}

/// Builds a test and says where it is.
pub(crate) fn test_program(package: &str, test: &str) -> Result<PathBuf, String> {
    let arguments = ["test", "-p", package, "--test", test, "--no-run"];
    println!("+ cargo {}", arguments.join(" "));
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(arguments)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("cargo {} ended with {}:\n{text}", arguments.join(" "), output.status));
    }
    // "  Executable tests/NAME.rs (target/debug/deps/NAME-HASH)"
    text.lines()
        .find(|line| line.trim_start().starts_with("Executable"))
        .and_then(|line| line.split_once('(')?.1.strip_suffix(')'))
        .map(|path| root().join(path))
        .ok_or_else(|| format!("cargo does not say where the test {test} is:\n{text}"))
}
