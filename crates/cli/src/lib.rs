//! The command line: arguments, and the frame around every subcommand. A program of another repository may call
//! [`main_with`].
#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "cairo", feature = "cuda", feature = "farm")),
    expect(dead_code, reason = "small parts of the subcommands that this build leaves out")
)]

mod air_file;
mod airs;
mod arguments;
mod backends;
mod bench;
#[cfg(feature = "cairo")]
mod cairo;
mod check;
mod circle;
mod command;
mod commands;
mod estimate;
mod exit;
mod expected;
mod facts;
#[cfg(feature = "farm")]
mod farm;
mod file;
mod findings;
mod goldilocks;
mod hints;
mod input;
mod inspect;
mod interrupt;
#[cfg(feature = "cuda")]
mod kernels;
mod kinds;
mod measure;
mod numbers;
mod output;
mod outputs;
mod parser;
mod plan;
mod policy;
mod pretty;
mod progress;
mod protocol;
mod prove;
mod record;
mod security;
mod shell;
mod soak;
mod telemetry;
mod teller;
mod usage;
mod values;
mod verify;
mod views;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

pub use check::{check, subcommands};
use clap::{ArgAction, Args};

use command::Command;
use exit::{Code, Failure};
use output::{Output, Volume};
use outputs::Named;
use sdk::Registry;

const AFTER_HELP: &str = "\
Exit codes: 0 proven or valid; 1 invalid proof, or not what was expected; 2 bad usage or input; 3 device trouble;
4 refused by policy: the proof may be valid, and the flag that would admit it is named; 5 some programs of a batch have no proof;
130 and 143 interrupted by SIGINT or SIGTERM: files are written whole or not at all.
RUST_LOG=info writes spans and events to standard error.";

/// Arguments of all subcommands.
#[derive(Args)]
struct GlobalArguments {
    /// Write one JSON object to standard output instead of text
    #[arg(long, global = true)]
    json: bool,
    /// Say nothing beside results and failures: no progress, no notes
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more on standard error: the device, each stage with its time; twice for every operation, as RUST_LOG=debug
    /// does
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Write spans to FILE in Chrome's trace format (chrome://tracing, Perfetto). A file that is there must be one of
    /// spans; it stays as it is if the command is refused or interrupted
    #[arg(long, global = true, value_name = "FILE")]
    spans: Option<PathBuf>,
    /// The old name of --spans, for one release
    #[arg(long, global = true, value_name = "FILE", hide = true, conflicts_with = "spans")]
    trace: Option<PathBuf>,
}

impl GlobalArguments {
    /// Where the spans go, with the argument that says so.
    fn spans(&self) -> Option<(&'static str, &Path)> {
        let named = [("--spans", &self.spans), ("--trace", &self.trace)];
        named.into_iter().find_map(|(name, path)| Some((name, path.as_deref()?)))
    }
}

/// Parses the arguments of the process, does what they ask for, and says how it went.
pub fn main() -> ExitCode {
    main_with(Registry::shipped())
}

/// As [`main`], with the AIRs and backends of `registry`: the `main` of a program that brings AIRs or backends of its
/// own.
pub fn main_with(registry: Registry) -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let (global, command) = match parser::parse(words.iter().cloned()) {
        Ok(arguments) => arguments,
        Err(error) => return usage::say(error, words, &registry).into(),
    };
    let volume = match (global.quiet, global.verbose) {
        (true, _) => Volume::Quiet,
        (false, 0) => Volume::Normal,
        _ => Volume::Verbose,
    };
    let output = Output::new(global.json, command.takes_stdout()).with_volume(volume);
    let code = match run(&global, command, &Arc::new(registry), &output) {
        Ok(code) => code,
        Err(failure) => {
            output.failure(&failure);
            failure.code
        }
    };
    code.into()
}

fn run(
    global: &GlobalArguments,
    mut command: Box<dyn Command>,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<Code, Failure> {
    if let Some(subject) = command.interrupted() {
        interrupt::watch(subject);
    }
    command.read_lists()?;
    let mut files = command.files();
    files.extend(global.spans().map(Named::from));
    outputs::distinct(&files)?;
    let spans = telemetry::start(global.spans().map(|(_, path)| path), global.verbose > 1)?;
    if global.trace.is_some() {
        output.warn("--trace is called --spans now, and the old name goes with the next release");
    }
    let done = command.run_to_code(registry, output);
    // Where nothing was done, the file that may be there stays as it is.
    let is_refused = done.as_ref().is_err_and(|failure| failure.code == Code::Usage);
    let saved = spans.filter(|_| !is_refused).map_or(Ok(()), telemetry::Spans::save);
    done.and_then(|code| saved.map(|()| code))
}
