//! The distribution: the program, a Debian package of it, a list of its contents, checksums. Two runs on one commit,
//! with one compiler in one folder, give the same bytes.

mod check;
mod deb;
mod elf;
mod licences;
mod manual;
#[path = "../../../crates/cli/src/drop_in/names.rs"]
mod names;
mod sbom;
mod staging;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::run;
use names::NAMES;
use staging::Staging;

/// Files of the folder.
const PROGRAM: &str = "polystark";
const SBOM: &str = "polystark.cdx.json";
const SUMS: &str = "SHA256SUMS";

/// Makes `target/dist`, twice, and checks it: the package is installed in a folder, and its program proves and
/// verifies.
pub(crate) fn all(options: &Options) -> crate::Result {
    if !cfg!(target_os = "linux") {
        return Err("dist: a Debian package is made on Linux".to_owned());
    }
    let (built, epoch) = (build(options)?, epoch()?);
    let (dist, again) = (run::target_directory("dist"), run::target_directory("dist-again"));
    let sums = make(options, &built, &epoch, &dist)?;
    if make(options, &built, &epoch, &again)? != sums {
        return Err(format!("dist: {} and {} differ: they were made of the same", dist.display(), again.display()));
    }
    fs::remove_dir_all(&again).map_err(|error| format!("{}: {error}", again.display()))?;
    check::all(options, &dist, &built)?;
    print!("{sums}");
    println!("{}: program, package, bill of materials and their checksums", dist.display());
    Ok(())
}

/// The request.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Cargo's profile
    #[arg(long, default_value = "release")]
    profile: String,
    /// Features of the program instead of the default ones: `cli` is one that knows neither Cairo nor GPUs
    #[arg(long)]
    features: Option<String>,
    /// Kernels that go into the package, as `ship-kernels` makes them
    #[arg(long, value_name = "FOLDER")]
    kernels: Option<PathBuf>,
}

impl Options {
    /// The names of Starknet's tools by which the program is called, too, where it runs Cairo programs.
    fn names(&self) -> &'static [&'static str] {
        let runs = |feature: &str| matches!(feature.trim(), "cairo-vm" | "soak-cairo" | "default");
        let runs_programs = self.features.as_ref().is_none_or(|features| features.split([',', ' ']).any(runs));
        if runs_programs { &NAMES } else { &[] }
    }

    /// Cargo's arguments for the package and its features.
    fn package(&self) -> Vec<&str> {
        let features = self.features.iter().flat_map(|features| ["--no-default-features", "--features", features]);
        ["--locked", "-p", "polystark"].into_iter().chain(features).collect()
    }
}

/// Cargo's results.
struct Built {
    program: PathBuf,
    /// All crates, as `name version`: with macros and build scripts.
    crates: BTreeSet<String>,
}

fn build(options: &Options) -> Result<Built, String> {
    let build = ["--bin", PROGRAM, "--profile", &options.profile, "--message-format", "json-render-diagnostics"];
    // The tests' build has their additional features, and need not be compiled.
    let is_tested = options.profile == "dev" && options.features.is_none();
    let which = if is_tested { ["--locked"].into_iter().chain(run::AS_TESTED).collect() } else { options.package() };
    let output = run::output(&[&["build"], &which[..], &build].concat())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let (mut program, mut crates) = (None, BTreeSet::new());
    for message in messages.filter(|message| message["reason"] == "compiler-artifact") {
        crates.insert(package_of(message["package_id"].as_str().unwrap_or_default()));
        if message["target"]["name"] == PROGRAM
            && let Some(path) = message["executable"].as_str()
        {
            program = Some(PathBuf::from(path));
        }
    }
    Ok(Built { program: program.ok_or("cargo does not say where the program is")?, crates })
}

/// `name version` of a package id: `SOURCE#NAME@VERSION`, or `.../NAME#VERSION`.
fn package_of(id: &str) -> String {
    let (source, package) = id.rsplit_once('#').unwrap_or_default();
    match package.split_once('@') {
        Some((name, version)) => format!("{name} {version}"),
        None => format!("{} {package}", source.rsplit('/').next().unwrap_or_default()),
    }
}

/// Seconds since 1970 of all files: the commit's, unless SOURCE_DATE_EPOCH says others.
fn epoch() -> Result<String, String> {
    if let Ok(epoch) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(epoch);
    }
    let output = run::output_of("git", &["log", "-1", "--format=%ct"])
        .map_err(|error| format!("{error}: set SOURCE_DATE_EPOCH"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Makes the folder. Its checksums.
fn make(options: &Options, built: &Built, epoch: &str, dist: &Path) -> Result<String, String> {
    let staging = Staging::new(run::target_directory("dist-staging"))?;
    let program = staging.path(&format!("usr/bin/{PROGRAM}"))?;
    run::output_of("strip", &["-o", text(&program)?, text(&built.program)?])?;
    let linked = elf::Linked::of(&program)?;
    linked.check()?;
    println!("dist: the program runs on glibc {} and later", linked.glibc());
    let crates = sbom::crates(&options.package())?;
    let bom = sbom::of(&crates, env!("CARGO_PKG_VERSION"), &digest(&program)?)?;
    manual::add(&staging, &program)?;
    options.names().iter().try_for_each(|name| staging.link(&format!("usr/bin/{PROGRAM}"), name))?;
    let doc = "usr/share/doc/polystark";
    staging.write(&format!("{doc}/{SBOM}"), bom.as_bytes())?;
    staging.write(&format!("{doc}/copyright"), licences::copyright(&crates)?.as_bytes())?;
    for page in ["README.md", "CHANGELOG.md"] {
        staging.copy(&run::root().join(page), &format!("{doc}/{page}"))?;
    }
    if let Some(folder) = &options.kernels {
        staging.copy_all(folder, "usr/lib/polystark/kernels")?;
    }
    let fail = |error: std::io::Error| format!("{}: {error}", dist.display());
    if dist.exists() {
        fs::remove_dir_all(dist).map_err(fail)?;
    }
    fs::create_dir_all(dist).map_err(fail)?;
    deb::build(&staging, &linked, epoch, dist)?;
    fs::copy(&program, dist.join(PROGRAM)).map_err(fail)?;
    options.names().iter().try_for_each(|name| staging::link(&dist.join(PROGRAM), name))?;
    fs::write(dist.join(SBOM), &bom).map_err(fail)?;
    let sums = [PROGRAM, SBOM, &deb::name()].map(|file| Ok(format!("{}  {file}\n", digest(&dist.join(file))?)));
    let sums = sums.into_iter().collect::<Result<String, String>>()?;
    fs::write(dist.join(SUMS), &sums).map_err(fail)?;
    Ok(sums)
}

/// SHA-256 of a file, hexadecimal.
fn digest(file: &Path) -> Result<String, String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(crate::hex::hex(&Sha256::digest(&bytes)))
}

fn text(path: &Path) -> Result<&str, String> {
    path.to_str().ok_or_else(|| format!("{}: the path is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::package_of;

    #[test]
    fn packages_are_named_by_their_ids() {
        let registry = "registry+https://github.com/rust-lang/crates.io-index#either@1.19.0";
        assert_eq!(package_of(registry), "either 1.19.0");
        assert_eq!(package_of("path+file:///p/crates/field#polystark-field@0.1.0"), "polystark-field 0.1.0");
        assert_eq!(package_of("path+file:///p/crates/polystark#0.1.0"), "polystark 0.1.0");
    }
}
