//! Tests that take longer than most people wait for.

use std::io::{self, Write as _};

/// Whether tests that take long run, too: where the variable `POLYSTARK_SLOW` is 1, as in CI.
pub(crate) fn is_slow_run() -> bool {
    std::env::var_os("POLYSTARK_SLOW").is_some_and(|value| value == "1")
}

/// Whether a part of a test that takes long runs. Where it does not, standard error says so.
pub fn slow_or_skip(what: &str) -> bool {
    let runs = is_slow_run();
    if !runs {
        // Past the capture of tests that pass. Without standard error there is nobody to tell.
        drop(writeln!(io::stderr(), "left out, for POLYSTARK_SLOW is not 1: {what}"));
    }
    runs
}
