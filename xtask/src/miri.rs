//! Miri on every operation of the CPU backend, the one crate that has unsafe code on plain memory: all others forbid it, or call a
//! device.

use crate::{nightly, run};

/// The build included. What takes longer is told, and is no failure.
const SECONDS: &str = "300";

/// No isolation: the backend asks for the processor's name and for the memory that is free. Threads of the pool live as long as the
/// program, and rayon's queues are sound by the rules of tree borrows.
const FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-ignore-leaks";

/// Runs a session of each protocol with portable code, of which Miri knows every instruction.
pub(crate) fn all() -> crate::Result {
    if let Some(why) = nightly::add(&["component", "add", "miri", "rust-src", "--toolchain", "nightly"])? {
        println!("miri: not run: rustup has no Miri here ({why})");
        return Ok(());
    }
    let test = ["cargo", "miri", "test", "-p", "polystark-hal-conformance", "--test", "session"];
    let mut command = nightly::command(run::root(), SECONDS, &test);
    command.env("CARGO_TARGET_DIR", run::target_directory("miri")).env("MIRIFLAGS", FLAGS);
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
