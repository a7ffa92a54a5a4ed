//! Whether the package works: it is installed into a folder, as a system would have it, and used.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Built, Options, SBOM, SUMS, deb, manual, sbom, text};
use crate::run;

/// The place of dpkg's list of installed packages.
const STATUS: &str = "var/lib/dpkg/status";

/// Checks the folder.
pub(super) fn all(options: &Options, dist: &Path, built: &Built) -> crate::Result {
    run::output_of("sh", &["-c", &format!("cd '{}' && sha256sum --check --strict {SUMS}", text(dist)?)])?;
    bill(options, dist, built)?;
    let root = run::target_directory("dist-root");
    install(&dist.join(deb::name()), &root)?;
    let program = root.join("usr/bin/polystark");
    let version = run::output_of(&program, &["--version"])?.stdout;
    let (said, expected) = (String::from_utf8_lossy(&version), format!("polystark {}", env!("CARGO_PKG_VERSION")));
    // The commit comes after it, in brackets, where it is known.
    let is_commit = |rest: &str| rest == "\n" || (rest.starts_with(" (") && rest.ends_with(")\n"));
    if !said.strip_prefix(expected.as_str()).is_some_and(is_commit) {
        return Err(format!("the installed program says {said}, not {expected}"));
    }
    for name in options.names() {
        let said = run::output_of(root.join("usr/bin").join(name), &["--help"])?.stdout;
        let usage = format!("Usage: {name}");
        if !String::from_utf8_lossy(&said).contains(&usage) {
            return Err(format!("the installed program, called {name}, does not say `{usage}`"));
        }
    }
    let proof = root.join("fibonacci.polystark");
    let statement = ["--air", "fibonacci", "--rows", "64"];
    run::output_of(&program, &[&["prove", "--backend", "cpu", "-o", text(&proof)?][..], &statement].concat())?;
    run::output_of(&program, &["verify", text(&proof)?, "--expect-air", "fibonacci", "--expect-rows", "64"])?;
    let of_bench = options.features.is_none().then_some("polystark-bench-ops");
    for page in ["polystark", "polystark-prove"].into_iter().chain(of_bench) {
        let file = root.join(manual::PAGES).join(format!("{page}.1.gz"));
        let text = run::output_of("gzip", &["--decompress", "--stdout", text(&file)?])?.stdout;
        if !String::from_utf8_lossy(&text).contains(&format!(".TH {page} 1")) {
            return Err(format!("{}: no page of the manual for {page}", file.display()));
        }
    }
    if options.kernels.is_some() && !root.join("usr/lib/polystark/kernels").is_dir() {
        return Err("the package has no kernels".to_owned());
    }
    Ok(())
}

/// The bill of materials is that of the program.
fn bill(options: &Options, dist: &Path, built: &Built) -> crate::Result {
    let file = dist.join(SBOM);
    let bill = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let bill: Value = serde_json::from_slice(&bill).map_err(|error| format!("{}: {error}", file.display()))?;
    let tree: BTreeSet<String> = sbom::crates(&options.package())?.into_keys().collect();
    let faults = sbom::faults(&bill, &tree, &built.crates, &sbom::checksums()?);
    if faults.is_empty() { Ok(()) } else { Err(format!("{}: {}", file.display(), faults.join("; "))) }
}

/// Installs a package into an empty folder. It copies this system's list of packages, so that dependencies are checked.
fn install(package: &Path, root: &Path) -> crate::Result {
    let fail = |error: std::io::Error| format!("{}: {error}", root.display());
    if root.exists() {
        fs::remove_dir_all(root).map_err(fail)?;
    }
    for folder in ["info", "updates", "triggers"] {
        fs::create_dir_all(root.join("var/lib/dpkg").join(folder)).map_err(fail)?;
    }
    fs::copy(Path::new("/").join(STATUS), root.join(STATUS)).map_err(|error| format!("/{STATUS}: {error}"))?;
    let root = format!("--root={}", text(root)?);
    // The user of this task need not be an administrator.
    let install = [&root, "--force-not-root", "--force-bad-path", "--install", text(package)?];
    // It has a word about each package of the system, which is shown if it fails.
    run::output_of("dpkg", &install).map(drop)
}
