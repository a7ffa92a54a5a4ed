//! Command lines of the programs.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

/// Reads a command line. The message of the parser, which may be the requested help, is printed, and the exit code is
/// the parser's: 0 for help, 2 for arguments that make no sense.
pub(super) fn parse<A: Parser>(words: Vec<OsString>) -> Result<A, ExitCode> {
    A::try_parse_from(words).map_err(|error| {
        // Nobody may be reading.
        let _ = error.print();
        if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
    })
}
