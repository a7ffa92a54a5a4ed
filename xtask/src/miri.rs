//! Miri on operations of the CPU backend, which has unsafe code on plain memory. docs/architecture.md, invariant 13,
//! lists the other homes of unsafe code: they call devices, machine code or the system, which Miri cannot run.

use crate::{nightly, run};

/// The build included. A longer run is reported, and is no failure.
const SECONDS: &str = "300";

/// No isolation: the backend asks for the processor's name. Threads of the pool live as long as the
/// program, and rayon's queues are sound by the rules of tree borrows.
const FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-ignore-leaks";

/// Parts of the names of the tests that end in time. The session and the trees of the circle do not.
const TESTS: [&str; 2] = ["session::goldilocks", "session::circle_transforms"];

/// Runs the tests of `session.rs` with portable code, of which Miri knows every instruction.
pub(crate) fn all() -> crate::Result {
    if let Some(why) = nightly::add(&["component", "add", "miri", "rust-src", "--toolchain", "nightly"])? {
        println!("miri: not run: rustup has no Miri here ({why})");
        return Ok(());
    }
    // Two interpreters at a time; one of them builds the common part.
    std::thread::scope(|scope| {
        let runs = TESTS.map(|tests| scope.spawn(move || session(tests)));
        runs.into_iter().try_for_each(|run| run.join().unwrap_or_else(|_| Err("miri: a thread panicked".to_owned())))
    })
}

/// The tests with these letters in their names.
fn session(tests: &str) -> crate::Result {
    let test = ["cargo", "miri", "test", "-p", "polystark-hal-conformance", "--test", "suite", "--", tests];
    let mut command = nightly::command(run::root(), SECONDS, &test);
    command.env("CARGO_TARGET_DIR", run::target_directory("miri")).env("MIRIFLAGS", FLAGS);
    let output = nightly::output(command)?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        return Ok(());
    }
    if let Some(why) = nightly::excuse(&output) {
        println!("miri: {tests}: not run: {why}");
        return Ok(());
    }
    Err(format!("miri: {tests}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}
