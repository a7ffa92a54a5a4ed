//! Tests that take longer than most people wait for.

use crate::left_out::left_out;

/// Whether tests that take long run, too: where the variable `POLYSTARK_SLOW` is 1, as in CI.
pub(crate) fn is_slow_run() -> bool {
    std::env::var_os("POLYSTARK_SLOW").is_some_and(|value| value == "1")
}

/// Whether a part of a test that takes long runs. Where it does not, standard error says so.
pub fn slow_or_skip(what: &str) -> bool {
    let runs = is_slow_run();
    if !runs {
        left_out(format_args!("{what}: POLYSTARK_SLOW=1 has it run"));
    }
    runs
}
