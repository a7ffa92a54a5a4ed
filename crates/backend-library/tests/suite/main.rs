//! Libraries that are loaded.

mod allocator;
mod refused;
mod wayward;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::PathBuf;

/// The path of an example, which `cargo test` builds with the tests.
fn example(name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("this program's path");
    let folder = program.parent().and_then(|deps| deps.parent()).expect("a folder of cargo's");
    let path = folder.join("examples").join(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"));
    assert!(path.exists(), "{path:?} is missing: `cargo build --examples` makes it");
    path
}
