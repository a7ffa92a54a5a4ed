//! The code for processors and systems that this machine is not, checked by the compiler and by clippy: NEON, Metal.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{nightly, run};

const NEON: &str = "aarch64-unknown-linux-gnu";
const APPLE: &str = "aarch64-apple-darwin";

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
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    std::fs::read_dir(path)?.try_for_each(|entry| collect(&entry?.path(), files))
}
