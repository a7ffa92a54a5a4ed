//! The code for processors and systems that this machine is not, checked by the compiler and by clippy: NEON, Metal,
//! the program on Windows and macOS.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{nightly, run};

const NEON: &str = "aarch64-unknown-linux-gnu";
const APPLE: &str = "aarch64-apple-darwin";
const WINDOWS: &str = "x86_64-pc-windows-gnu";
pub(crate) const TARGETS: [&str; 3] = [NEON, APPLE, WINDOWS];

/// The parts of the program that are checked for other systems: all but the farm, whose TLS has code in C.
const PORTABLE: &str = "arrow,cli,cairo-vm,cuda";
/// The C compiler for Windows, with which the farm is checked, too.
const WINDOWS_COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// The files against which the calls of Metal are typed, and the file with their hash from the last check.
const METAL: [&str; 4] = [
    "crates/backend-metal/src",
    "crates/backend-metal/Cargo.toml",
    "crates/gpu-runtime/src/device.rs",
    "rust-toolchain.toml",
];
const METAL_CHECKED: &str = "crates/backend-metal/checked.sha256";

/// The backends, and with them their dependencies.
pub(crate) fn all() -> crate::Result {
    let clippy =
        |target, package| run::cargo(&["clippy", "--target", target, "-p", package, "--lib", "--", "-D", "warnings"]);
    match nightly::add(&["target", "add", NEON])? {
        Some(why) => println!("cross: not run: rustup has no {NEON} here ({why})"),
        None => clippy(NEON, "polystark-backend-cpu")?,
    }
    for system in [WINDOWS, APPLE] {
        program_on(system)?;
    }
    let (hash, file) = (hash_of(&METAL)?, run::root().join(METAL_CHECKED));
    let is_checked = std::fs::read_to_string(&file).is_ok_and(|known| known.trim() == hash);
    match nightly::add(&["target", "add", APPLE])? {
        Some(why) if is_checked => {
            println!(
                "cross: not run: rustup has no {APPLE} here ({why}); the sources are those that were checked last"
            );
            Ok(())
        }
        Some(why) => Err(format!(
            "rustup has no {APPLE} here ({why}), and backend-metal has changed since it was checked last: run `cargo xtask cross` \
             where the target can be fetched, and commit {METAL_CHECKED}"
        )),
        None => {
            clippy(APPLE, "polystark-backend-metal")?;
            if is_checked {
                return Ok(());
            }
            println!("cross: {METAL_CHECKED} is new: commit it");
            std::fs::write(&file, hash + "\n").map_err(|error| format!("{METAL_CHECKED}: {error}"))
        }
    }
}

/// The program on another system, if rustup has that.
fn program_on(system: &str) -> crate::Result {
    if let Some(why) = nightly::add(&["target", "add", system])? {
        println!("cross: the program was not checked for {system}: rustup does not have it here ({why})");
        return Ok(());
    }
    let has_compiler = system == WINDOWS && is_program(WINDOWS_COMPILER);
    let features = if has_compiler { format!("{PORTABLE},farm") } else { PORTABLE.to_owned() };
    println!("cross: the program for {system} with the features {features}");
    let arguments = ["check", "--target", system, "-p", "polystark", "--no-default-features", "--features", &features];
    // A dependency's build script asks for a C compiler of the system, but for this feature of it.
    run::cargo_with(&arguments, &[("CARGO_FEATURE_PURE", "1")])
}

/// Whether the shell would find a program of this name.
fn is_program(name: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(name).is_file())
}

/// The hash of files, and of files in folders, with their paths.
fn hash_of(paths: &[&str]) -> Result<String, String> {
    let mut files = Vec::new();
    for path in paths {
        collect(&run::root().join(path), &mut files).map_err(|error| format!("{path}: {error}"))?;
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let name = file.strip_prefix(run::root()).unwrap_or(&file).to_string_lossy().into_owned();
        let content = std::fs::read(&file).map_err(|error| format!("{name}: {error}"))?;
        for part in [name.as_bytes(), &content] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    Ok(crate::hex::hex(&hash.finalize()))
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    std::fs::read_dir(path)?.try_for_each(|entry| collect(&entry?.path(), files))
}
