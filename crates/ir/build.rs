//! Tells the build script of `gpu-hal` where the sources of this crate are: it hashes them.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo sets it for each build script.
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo::metadata=sources={folder}/src");
}
