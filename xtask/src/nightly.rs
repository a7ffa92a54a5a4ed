//! Checks that need nightly Rust or a part of the tool chain that not every machine has or can fetch. Where it is
//! missing, the check says so and why, and passes.

use std::path::Path;
use std::process::{Command, Output};

/// A command of the nightly tool chain in a folder, whose settings cargo reads; ended after `seconds` seconds.
pub(crate) fn command(folder: &Path, seconds: &str, arguments: &[&str]) -> Command {
    command_of("nightly", folder, seconds, arguments)
}

/// The same of a tool chain with a name.
pub(crate) fn command_of(toolchain: &str, folder: &Path, seconds: &str, arguments: &[&str]) -> Command {
    println!("+ {}", arguments.join(" "));
    let mut run = Command::new("timeout");
    run.args([seconds, "rustup", "run", toolchain]).args(arguments).current_dir(folder);
    // The outer cargo's variables for its children are of its own tool chain.
    run.env_remove("RUSTC").env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    run
}

/// The output of the command.
pub(crate) fn output(mut command: Command) -> Result<Output, String> {
    command.output().map_err(|error| format!("timeout rustup: {error}"))
}

/// Whether the tests and the programs of an oracle are built, by commands of its tool chain. Where `toolchain` or a
/// foreign crate is missing, it says so.
pub(crate) fn builds(
    oracle: &str,
    toolchain: &str,
    builds: [&[&str]; 2],
    run: impl Fn(&[&str]) -> Result<Output, String>,
) -> Result<bool, String> {
    let version = run(&["rustc", "--version"])?;
    if !version.status.success() {
        let text = String::from_utf8_lossy(&version.stderr);
        println!("{oracle}: not run: {toolchain} is not there ({})", first_error(&text));
        return Ok(false);
    }
    println!("{oracle}: {}", String::from_utf8_lossy(&version.stdout).trim());
    for arguments in builds {
        let build = run(&[&["cargo"][..], arguments].concat())?;
        if build.status.success() {
            continue;
        }
        if let Some(why) = excuse(&build) {
            println!("{oracle}: not run: {why}");
            return Ok(false);
        }
        let text = String::from_utf8_lossy(&build.stderr);
        return Err(format!("{oracle}: cargo {}: {}\n{text}", arguments.join(" "), build.status));
    }
    Ok(true)
}

/// Adds what rustup can fetch; why not, where it cannot.
pub(crate) fn add(arguments: &[&str]) -> Result<Option<String>, String> {
    println!("+ rustup {}", arguments.join(" "));
    let mut run = Command::new("timeout");
    let output = output({
        run.args(["300", "rustup"]).args(arguments).current_dir(crate::run::root());
        run
    })?;
    let text = String::from_utf8_lossy(&output.stderr);
    Ok((!output.status.success()).then(|| first_error(&text).to_owned()))
}

/// Why a build failed, if the fault is not ours: it ran out of time, or this nightly does not build a foreign crate.
pub(crate) fn excuse(build: &Output) -> Option<String> {
    if build.status.code() == Some(124) {
        return Some("this machine does not build it in time; run it again".to_owned());
    }
    let text = String::from_utf8_lossy(&build.stderr);
    let name = text.lines().find_map(broken_crate).filter(|name| !is_ours(name))?;
    Some(format!("this nightly does not build {name}: {}", first_error(&text)))
}

/// The first line that is an error.
pub(crate) fn first_error(text: &str) -> &str {
    text.lines().find(|line| line.starts_with("error")).unwrap_or("no message")
}

/// The crate of a line "error: could not compile `NAME` (lib) due to ...".
fn broken_crate(line: &str) -> Option<&str> {
    line.split_once("could not compile `")?.1.split('`').next()
}

fn is_ours(name: &str) -> bool {
    matches!(name, "oracle" | "cairo-oracle") || name.starts_with("polystark")
}
