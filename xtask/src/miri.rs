//! Miri on the CPU backend's unit tests: the one crate that has unsafe code on plain memory. All others forbid it, or call a device.

use crate::{nightly, run};

const SECONDS: &str = "600";

/// Runs them with portable code and with AVX2, of which Miri knows the instructions.
pub(crate) fn all() -> crate::Result {
    if let Some(why) = nightly::add(&["component", "add", "miri", "rust-src", "--toolchain", "nightly"])? {
        println!("miri: not run: rustup has no Miri here ({why})");
        return Ok(());
    }
    for flags in ["", "-Ctarget-feature=+avx2"] {
        let arguments = ["cargo", "miri", "test", "-p", "polystark-backend-cpu", "--lib"];
        let mut command = nightly::command(run::root(), SECONDS, &arguments);
        command.env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", run::target_directory("miri"));
        // What is mapped comes from the system: the hint for huge pages is a call that Miri lacks.
        command.env("MIRIFLAGS", "-Zmiri-permissive-provenance");
        let output = nightly::output(command)?;
        print!("{}", String::from_utf8_lossy(&output.stdout));
        if output.status.success() {
            continue;
        }
        if let Some(why) = nightly::excuse(&output) {
            println!("miri: not run: {why}");
            return Ok(());
        }
        return Err(format!("miri ended with {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(())
}
