//! Arguments of all subcommands.

use std::path::{Path, PathBuf};

use clap::{ArgAction, Args};

/// The end of the help.
pub(crate) const AFTER_HELP: &str = "\
Exit codes: 0 proven or valid; 1 invalid proof, or not what was expected; 2 bad usage or input; 3 device trouble;
4 refused by policy: the proof may be valid, and the flag that would admit it is named; 5 some programs of a batch have no proof;
130 and 143 interrupted by SIGINT or SIGTERM: files are written whole or not at all.
RUST_LOG=info writes spans and events to standard error.";

/// Arguments of all subcommands.
#[derive(Args)]
pub(crate) struct GlobalArguments {
    /// Write one JSON object to standard output instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing beside results and failures: no progress, no notes
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more on standard error: the device, each stage with its time; twice for every operation, as RUST_LOG=debug
    /// does
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Write spans to FILE in Chrome's trace format (chrome://tracing, Perfetto). A file that is there must be one of
    /// spans; it stays as it is if the command is refused or interrupted
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) spans: Option<PathBuf>,
    /// The old name of --spans, for one release
    #[arg(long, global = true, value_name = "FILE", hide = true, conflicts_with = "spans")]
    pub(crate) trace: Option<PathBuf>,
}

impl GlobalArguments {
    /// Where the spans go, with the argument that says so.
    pub(crate) fn spans(&self) -> Option<(&'static str, &Path)> {
        let named = [("--spans", &self.spans), ("--trace", &self.trace)];
        named.into_iter().find_map(|(name, path)| Some((name, path.as_deref()?)))
    }
}
