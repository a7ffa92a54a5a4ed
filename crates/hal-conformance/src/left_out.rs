//! Tests that do not run here say so.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Says on standard error that a test, or a part of one, does not run here: past the capture of tests that pass.
pub fn left_out(what: impl Display) {
    // Without standard error there is nobody to tell.
    drop(writeln!(io::stderr(), "left out: {what}"));
}

/// [`left_out`] of a test that takes long without a GPU, and runs where `POLYSTARK_BACKEND` names a backend.
pub fn left_out_without_backend(what: impl Display) {
    left_out(format_args!("{what}: POLYSTARK_BACKEND=cuda has it made on a GPU"));
}
