//! Notes what this crate is built from, and by which compiler. A program and a shared library with equal notes have the same types, so one
//! can use the backend of the other (`polystark-backend-library`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rustc-env=POLYSTARK_HAL_SOURCES={:016x}", hash_of(Path::new("src"))?);
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

/// FNV-1a of the paths and the contents of all files below a folder, in the order of their paths.
fn hash_of(folder: &Path) -> io::Result<u64> {
    let mut files = Vec::new();
    add_files(folder, &mut files)?;
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let path = file.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        // Neither has a zero byte, so it ends both.
        for byte in [path.as_bytes(), &fs::read(&file)?].into_iter().flat_map(|part| part.iter().chain([&0])) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(hash)
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
