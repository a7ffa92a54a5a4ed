//! The lines of verifiers and codecs that the tests execute, by the compiler's own counters.
//!
//! Foreign crates are compiled without counters, as always.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run;

/// The crates that read what others have written, and whose tests are run.
const CRATES: [&str; 4] = ["proof", "proof-format", "verifier", "circle-proof"];

/// Percent of the lines of each crate.
const LEAST: f64 = 95.0;

/// Runs their tests and prints a table by file; fails below [`LEAST`].
pub(crate) fn all() -> crate::Result {
    let Some(tools) = tools()? else {
        println!("coverage: not run: llvm-cov is missing; `rustup component add llvm-tools` brings it");
        return Ok(());
    };
    let folder = run::target_directory("coverage");
    let profiles = folder.join("profiles");
    // Profiles of another build count other lines.
    let _ = fs::remove_dir_all(&profiles);
    fs::create_dir_all(&profiles).map_err(|error| format!("{}: {error}", profiles.display()))?;
    let programs = build(&folder)?;
    let pattern = profiles.join("%p-%m.profraw");
    for (program, package) in &programs {
        run::program_in(package, path(program)?, &[], &[("LLVM_PROFILE_FILE", path(&pattern)?)])?;
    }
    let merged = folder.join("merged.profdata");
    let merge = ["merge", "-sparse", path(&profiles)?, "-o", path(&merged)?];
    run::output_of(tools.join("llvm-profdata"), &merge)?;
    report(&tools, &merged, &programs)
}

fn path(path: &Path) -> Result<&str, String> {
    path.to_str().ok_or_else(|| format!("{} is not UTF-8", path.display()))
}

/// The folder of the compiler's tools, if they are installed.
fn tools() -> Result<Option<PathBuf>, String> {
    let output = run::output_of("rustc", &["--print", "target-libdir"])?;
    let library = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let folder = library.parent().map(|target| target.join("bin")).filter(|folder| folder.join("llvm-cov").exists());
    Ok(folder)
}

/// The programs of tests, each with the folder of its package.
fn build(folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    let wrapper = folder.join("rustc");
    fs::write(&wrapper, "#!/bin/sh\nexec \"$@\" -Cinstrument-coverage\n")
        .and_then(|()| run::make_executable(&wrapper))
        .map_err(|error| format!("{}: {error}", wrapper.display()))?;
    let packages = CRATES.map(|name| ["-p".to_owned(), format!("polystark-{name}")]);
    let packages: Vec<&str> = packages.iter().flatten().map(String::as_str).collect();
    let wrapper = format!("build.rustc-workspace-wrapper={:?}", path(&wrapper)?);
    let arguments = ["test", "--no-run", "--message-format", "json-render-diagnostics", "--target-dir", path(folder)?];
    let arguments = [&arguments[..], &["--config", &wrapper], &packages].concat();
    let output = run::output(&arguments)?;
    let mut programs = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: Value = serde_json::from_str(line).map_err(|error| format!("cargo: {error}"))?;
        let [program, manifest] = ["executable", "manifest_path"].map(|name| message[name].as_str().map(PathBuf::from));
        if let (Some(program), Some(manifest), Some(true)) = (program, manifest, message["profile"]["test"].as_bool()) {
            programs.push((program, manifest.parent().unwrap_or(run::root()).to_owned()));
        }
    }
    Ok(programs)
}

/// Lines that have code, and the executed ones.
#[derive(Clone, Copy, Default)]
struct Lines {
    all: u64,
    met: u64,
}

impl Lines {
    fn percent(self) -> f64 {
        if self.all == 0 { 100.0 } else { 100.0 * self.met as f64 / self.all as f64 }
    }
}

fn report(tools: &Path, merged: &Path, programs: &[(PathBuf, PathBuf)]) -> crate::Result {
    let mut arguments = vec!["export", "-summary-only", "-instr-profile", path(merged)?];
    for (program, _) in programs {
        arguments.extend(["-object", path(program)?]);
    }
    let output = run::output_of(tools.join("llvm-cov"), &arguments)?;
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("llvm-cov: {error}"))?;
    let mut crates: BTreeMap<&str, Lines> = BTreeMap::new();
    for file in report["data"][0]["files"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let name = file["filename"].as_str().unwrap_or_default();
        let name = Path::new(name).strip_prefix(run::root()).unwrap_or(Path::new(name)).to_string_lossy().into_owned();
        let Some(of) = CRATES.iter().find(|of| name.starts_with(&format!("crates/{of}/src/"))) else { continue };
        let [all, met] = ["count", "covered"].map(|key| file["summary"]["lines"][key].as_u64().unwrap_or(0));
        let lines = Lines { all, met };
        println!("{:6.1} % of {all:5} lines  {name}", lines.percent());
        let sum = crates.entry(of).or_default();
        *sum = Lines { all: sum.all + all, met: sum.met + met };
    }
    for (name, lines) in &crates {
        println!("{:6.1} % of {:5} lines of {name}", lines.percent(), lines.all);
    }
    let low: Vec<&str> = crates.iter().filter(|(_, lines)| lines.percent() < LEAST).map(|(name, _)| *name).collect();
    match (crates.len() == CRATES.len(), low.as_slice()) {
        (true, []) => Ok(()),
        (true, low) => Err(format!("coverage: below {LEAST} %: {}", low.join(", "))),
        (false, _) => Err("coverage: there are no figures of some crates".to_owned()),
    }
}
