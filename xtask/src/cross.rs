//! The code for processors that this machine is not: NEON, checked by the compiler and by clippy.

use crate::{nightly, run};

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The backend for the processor, and with it what it depends on.
pub(crate) fn all() -> crate::Result {
    if let Some(why) = nightly::add(&["target", "add", TARGET])? {
        println!("cross: not run: rustup has no {TARGET} here ({why})");
        return Ok(());
    }
    run::cargo(&["clippy", "--target", TARGET, "-p", "polystark-backend-cpu", "--lib", "--", "-D", "warnings"])
}
