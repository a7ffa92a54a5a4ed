//! Miri on the lanes of the CPU backend, the one crate that has unsafe code on plain memory: all others forbid it, or call a device.
//! Not part of `cargo xtask ci`: how long it takes has not been measured.

use crate::{nightly, run};

const SECONDS: &str = "600";

/// Runs the unit tests of arithmetic with portable code, of which Miri knows every instruction.
pub(crate) fn all() -> crate::Result {
    if let Some(why) = nightly::add(&["component", "add", "miri", "rust-src", "--toolchain", "nightly"])? {
        println!("miri: not run: rustup has no Miri here ({why})");
        return Ok(());
    }
    let test = ["cargo", "miri", "test", "-p", "polystark-backend-cpu", "--lib", "--", "arith", "m31"];
    let mut command = nightly::command(run::root(), SECONDS, &test);
    command.env("CARGO_TARGET_DIR", run::target_directory("miri"));
    let output = nightly::output(command)?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        return Ok(());
    }
    if let Some(why) = nightly::excuse(&output) {
        println!("miri: not run: {why}");
        return Ok(());
    }
    Err(format!("miri ended with {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}
