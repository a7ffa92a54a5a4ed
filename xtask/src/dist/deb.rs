//! The Debian package, by `dpkg-deb`.

use std::path::Path;

use super::elf::Linked;
use super::staging::Staging;
use super::text;
use crate::run;

const DESCRIPTION: &str = "STARK prover whose hardware is a plug-in\n \
    Proves and verifies statements in two proof systems, Goldilocks and Circle, and\n \
    Cairo programs, on processors and on NVIDIA GPUs. All backends give the same\n \
    bytes. The driver of a GPU is looked for when the program runs.";

/// Debian's name of this machine's processor.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// Name of the package's file.
pub(super) fn name() -> String {
    format!("polystark_{}_{}.deb", env!("CARGO_PKG_VERSION"), architecture())
}

/// Packs the staged files. `epoch` is the time of all files.
pub(super) fn build(staging: &Staging, linked: &Linked, epoch: &str, dist: &Path) -> crate::Result {
    let kib = staging.settle()?.div_ceil(1024);
    let control = format!(
        "Package: polystark\nVersion: {}\nArchitecture: {}\nMaintainer: The Polystark contributors\nInstalled-Size: {kib}\n\
         Depends: libc6 (>= {}), libgcc-s1\nSection: utils\nPriority: optional\nDescription: {DESCRIPTION}\n",
        env!("CARGO_PKG_VERSION"),
        architecture(),
        linked.glibc(),
    );
    staging.write("DEBIAN/control", control.as_bytes())?;
    staging.settle()?;
    // gzip is what every dpkg reads, and gives the same bytes on any number of threads.
    let file = dist.join(name());
    let arguments = ["--root-owner-group", "-Zgzip", "-z6", "--build", text(staging.root())?, text(&file)?];
    run::program("dpkg-deb", &arguments, &[("SOURCE_DATE_EPOCH", epoch)])
}
