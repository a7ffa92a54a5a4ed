//! Notes what this crate, `ir` and `field` are built from, and by which compiler. A program and a shared library with
//! equal notes have the same types, so one can use the backend of the other (`polystark-backend-library`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    // Crates of other types that cross say where they are.
    let folders = ["src".to_owned(), variable("DEP_POLYSTARK_IR_SOURCES")?, variable("DEP_POLYSTARK_FIELD_SOURCES")?];
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for folder in &folders {
        println!("cargo:rerun-if-changed={folder}");
        hash.add_folder(Path::new(folder))?;
    }
    println!("cargo:rustc-env=POLYSTARK_HAL_SOURCES={:016x}", hash.0);
    println!("cargo:rustc-env=POLYSTARK_HAL_COMPILER={}", compiler()?);
    println!("cargo:rustc-env=POLYSTARK_HAL_TARGET={}", variable("TARGET")?);
    Ok(())
}

/// A variable that Cargo sets.
fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|error| io::Error::other(format!("{name}: {error}")))
}

/// The version of the compiler with its commit, such as `rustc 1.95.0 (59807616e 2026-04-14)`.
fn compiler() -> io::Result<String> {
    let output = Command::new(variable("RUSTC")?).arg("--version").output()?;
    let version = String::from_utf8_lossy(&output.stdout);
    match version.trim() {
        "" => Err(io::Error::other("the compiler does not say its version")),
        version => Ok(version.to_owned()),
    }
}

/// FNV-1a.
struct Hash(u64);

impl Hash {
    /// The paths, from the folder on, and the contents of all files below a folder, in the order of the paths.
    fn add_folder(&mut self, folder: &Path) -> io::Result<()> {
        let mut files = Vec::new();
        add_files(folder, &mut files)?;
        files.sort();
        for file in files {
            let path = file.strip_prefix(folder).map_err(io::Error::other)?;
            let path = path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
            // Neither has a zero byte, so it ends both.
            for byte in [path.as_bytes(), &fs::read(&file)?].into_iter().flat_map(|part| part.iter().chain([&0])) {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        Ok(())
    }
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            add_files(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
