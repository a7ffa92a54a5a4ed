//! Scarb, called as a program, and the folders that it shares with its extensions.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::packages::Metadata;

/// The file of a project.
const MANIFEST: &str = "Scarb.toml";

/// Scarb: the program that called this one says where it is.
pub(super) fn command() -> Command {
    Command::new(env::var_os("SCARB").unwrap_or_else(|| "scarb".into()))
}

/// The description of the workspace.
pub(super) fn metadata(features: &[(&'static str, String)]) -> Result<Metadata, String> {
    let mut command = command();
    command.args(["metadata", "--format-version", "1"]).envs(features.iter().cloned()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("failed to read `scarb metadata` output: {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("`scarb metadata` exited with error\n\nstdout:\n{stdout}\nstderr:\n"));
    }
    parse(&stdout)
}

/// The description in Scarb's output: an object on one line, or one between two lines with its brackets.
fn parse(stdout: &str) -> Result<Metadata, String> {
    let lines: Vec<&str> = stdout.lines().map(str::trim_end).collect();
    let singles = lines.iter().filter(|line| line.starts_with('{') && line.ends_with('}'));
    let mut candidates: Vec<String> = singles.map(|line| (*line).to_owned()).collect();
    let mut from = 0;
    while let Some(start) = lines[from..].iter().position(|line| *line == "{").map(|at| from + at) {
        let Some(length) = lines[start..].iter().position(|line| *line == "}") else { break };
        candidates.push(lines[start..=start + length].join("\n"));
        from = start + length + 1;
    }
    let mut problem = "`scarb metadata` command did not produce any metadata".to_owned();
    for candidate in candidates {
        match serde_json::from_str(&candidate) {
            Ok(metadata) => return Ok(metadata),
            Err(error) => problem = format!("failed to deserialize `scarb metadata` output: {error}"),
        }
    }
    Err(problem)
}

/// The target folder of the project, which Scarb hands on.
pub(super) fn target_folder() -> Result<PathBuf, String> {
    if let Some(folder) = env::var_os("SCARB_TARGET_DIR") {
        return Ok(folder.into());
    }
    let here = env::current_dir().map_err(|error| error.to_string())?;
    match here.ancestors().any(|folder| folder.join(MANIFEST).exists()) {
        true => Err("`SCARB_TARGET_DIR` env var must be defined".to_owned()),
        false => Err(format!("no {MANIFEST} found, this command must be run inside a Scarb project")),
    }
}

/// The folder of a package's executions.
pub(super) fn executions(target: &Path, package: &str) -> PathBuf {
    target.join("execute").join(package)
}

/// The folder of an execution.
pub(super) fn execution(target: &Path, package: &str, id: u64) -> PathBuf {
    executions(target, package).join(format!("execution{id}"))
}

/// Executions that a package may have.
const MOST_EXECUTIONS: u64 = 10_000;

/// Makes a folder of outputs, and marks it as one that backups leave out, as Scarb does, unless it is there.
pub(super) fn output_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    // Without the mark nothing is wrong. See https://bford.info/cachedir.
    let _ = std::fs::write(folder.join("CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n");
    Ok(())
}

/// Makes the folder of a package's next execution. The number of it.
pub(super) fn new_execution(target: &Path, package: &str) -> Result<u64, String> {
    let failed = |error: io::Error| error.to_string();
    output_folder(&executions(target, package)).map_err(failed)?;
    for id in 1..=MOST_EXECUTIONS {
        match std::fs::create_dir(execution(target, package, id)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| id).map_err(failed),
        }
    }
    Err("failed to create output directory".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse;

    const METADATA: &str = r#"{"packages":[],"workspace":{"manifest_path":"/w/Scarb.toml","members":[]},"version":1}"#;

    #[test]
    fn metadata_is_found_among_other_lines() {
        let pretty = METADATA.replacen('{', "{\n", 1);
        let pretty = format!("{}\n}}\n", &pretty[..pretty.len() - 1]);
        for text in
            [METADATA.to_owned(), format!("warn: x\n{METADATA}\r\nmore"), pretty, format!("{{\"a\":1}}\n{METADATA}")]
        {
            assert!(parse(&text).is_ok(), "{text}");
        }
        assert!(parse("").err().unwrap().contains("did not produce"));
        assert!(parse("{\"a\":1}").err().unwrap().contains("deserialize"));
        assert!(parse("{\n").is_err());
    }
}
