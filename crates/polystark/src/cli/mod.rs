//! The command line: arguments, and what happens around every subcommand. A program of another repository may call [`main_with`].

mod air_file;
mod airs;
mod arguments;
mod backends;
mod bench;
#[cfg_attr(not(feature = "cairo"), path = "no_cairo.rs")]
mod cairo;
mod check;
mod circle;
mod estimate;
mod exit;
mod expected;
#[cfg_attr(not(feature = "farm"), path = "no_farm.rs")]
mod farm;
mod findings;
mod goldilocks;
mod hints;
mod input;
mod inspect;
mod interrupt;
#[cfg_attr(not(feature = "cuda"), path = "no_kernels.rs")]
mod kernels;
mod kinds;
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
use clap::{ArgAction, Parser, Subcommand};

use crate::Registry;
use exit::{Code, Failure};
use output::{Output, Volume};
use outputs::Named;

const AFTER_HELP: &str = "\
Exit codes: 0 proven or valid; 1 invalid proof, or not what was expected; 2 bad usage or input; 3 device trouble;
4 refused by policy: the proof may be valid, and the flag that would admit it is named; 5 some programs of a batch have no proof;
130 and 143 interrupted by SIGINT or SIGTERM: files are written whole or not at all.
RUST_LOG=info writes spans and events to standard error.";

#[derive(Parser)]
#[command(name = "polystark", version = ::bench::VERSION, about = "STARK proofs on any hardware", after_help = AFTER_HELP)]
struct Arguments {
    /// Write one JSON object to standard output instead of text
    #[arg(long, global = true)]
    json: bool,
    /// Say nothing beside results and failures: no progress, no notes
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more on standard error: the device, each stage with its time; twice for every operation, as RUST_LOG=debug does
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Write spans to FILE in Chrome's trace format (chrome://tracing, Perfetto). A file that is there must be one of spans; it stays as it
    /// is if the command is refused or interrupted
    #[arg(long, global = true, value_name = "FILE")]
    spans: Option<PathBuf>,
    /// The old name of --spans, for one release
    #[arg(long, global = true, value_name = "FILE", hide = true, conflicts_with = "spans")]
    trace: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

impl Arguments {
    /// Where the spans go, with the argument that says so.
    fn spans(&self) -> Option<(&'static str, &Path)> {
        let named = [("--spans", &self.spans), ("--trace", &self.trace)];
        named.into_iter().find_map(|(name, path)| Some((name, path.as_deref()?)))
    }
}

#[derive(Subcommand)]
enum Command {
    /// Prove a statement, verify the proof and write both to a file
    Prove(prove::Arguments),
    /// Verify the proof in a file and say what was proven
    Verify(verify::Arguments),
    /// Show what a file holds, without verifying it
    Inspect(inspect::Arguments),
    /// Write the constraints of an AIR to a file, which proves and verifies where its code is not: `prove --air-file`. AIRs that are made of
    /// components with code of their own cannot be recorded; `polystark airs` says which
    Record(record::Arguments),
    /// Show what each round of a proof is worth, and find the cheapest options that are worth so much. Nothing is proven or verified
    Security(Box<security::Arguments>),
    /// List the AIRs and their parameters
    Airs,
    /// List the backends: which can be used here, on what device, and why not
    Backends,
    /// Measure proofs end to end and by operation
    Bench(bench::Arguments),
    /// Prove random statements, true and false, and compare every proof with another backend's, for minutes or for days
    Soak(soak::Arguments),
    /// Compile kernels for NVIDIA's GPUs, so that the machines that have them need no compiler and wait for none
    #[cfg_attr(not(feature = "cuda"), command(hide = true))]
    Kernels(kernels::Arguments),
    /// Prove programs of the Cairo virtual machine, and verify such proofs
    #[command(subcommand)]
    #[cfg_attr(not(feature = "cairo"), command(hide = true))]
    Cairo(cairo::Command),
    /// Prove jobs of a queue, for one machine or for many: workers, jobs, an HTTP service
    #[command(subcommand)]
    #[cfg_attr(not(feature = "farm"), command(hide = true))]
    Farm(farm::Command),
    /// Write what a shell needs to complete these arguments
    Completions(shell::CompletionsArguments),
    /// Write the manual in the format of man pages: `polystark man | man -l -`
    Man(shell::ManArguments),
}

impl Command {
    /// The files that are read or written, each with the argument that names it.
    fn files(&self) -> Vec<Named<'_>> {
        let files = match self {
            Self::Prove(arguments) => arguments.files(),
            Self::Verify(arguments) => arguments.files(),
            Self::Inspect(arguments) => arguments.files(),
            Self::Record(arguments) => arguments.files(),
            Self::Security(arguments) => arguments.files(),
            Self::Bench(arguments) => arguments.files(),
            Self::Kernels(arguments) => arguments.files(),
            Self::Cairo(command) => return command.files(),
            Self::Farm(command) => command.files(),
            Self::Airs | Self::Backends | Self::Soak(_) | Self::Completions(_) | Self::Man(_) => Vec::new(),
        };
        files.into_iter().map(Named::from).collect()
    }

    /// What an interrupt says how many were written of, nothing where none are; `None` for what ends in its own way: the farm, and what reads
    /// strangers' files in as little memory as it can, of which the thread that waits for signals takes a part.
    fn interrupted(&self) -> Option<&'static str> {
        match self {
            Self::Prove(_) => Some("proof"),
            Self::Record(_) | Self::Bench(_) => Some("file"),
            Self::Cairo(command) => Some(command.interrupted()),
            Self::Farm(_) | Self::Verify(_) | Self::Inspect(_) => None,
            Self::Soak(arguments) if arguments.is_holder() => None,
            _ => Some(interrupt::NOTHING),
        }
    }

    /// Whether a file that is written is standard output.
    fn takes_stdout(&self) -> bool {
        match self {
            Self::Prove(_) | Self::Record(_) | Self::Bench(_) => {
                self.files().iter().any(|file| outputs::is_stream(file.path))
            }
            Self::Cairo(command) => command.takes_stdout(),
            Self::Farm(command) => command.takes_stdout(),
            _ => false,
        }
    }
}

/// Parses the arguments of the process, does what they ask for, and says how it went.
pub fn main() -> ExitCode {
    main_with(Registry::shipped())
}

/// As [`main`], with what is in `registry`: the `main` of a program that brings AIRs or backends of its own.
pub fn main_with(registry: Registry) -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let arguments = match parser::parse(words.iter().cloned()) {
        Ok(arguments) => arguments,
        Err(error) => return usage::say(error, words, &registry).into(),
    };
    let volume = match (arguments.quiet, arguments.verbose) {
        (true, _) => Volume::Quiet,
        (false, 0) => Volume::Normal,
        _ => Volume::Verbose,
    };
    let output = Output::new(arguments.json, arguments.command.takes_stdout()).with_volume(volume);
    let code = match run(arguments, &Arc::new(registry), &output) {
        Ok(code) => code,
        Err(failure) => {
            output.failure(&failure);
            failure.code
        }
    };
    code.into()
}

fn run(mut arguments: Arguments, registry: &Arc<Registry>, output: &Output) -> Result<Code, Failure> {
    if let Some(subject) = arguments.command.interrupted() {
        interrupt::watch(subject);
    }
    if let Command::Cairo(command) = &mut arguments.command {
        command.read_list()?;
    }
    let mut files = arguments.command.files();
    files.extend(arguments.spans().map(Named::from));
    outputs::distinct(&files)?;
    let spans = telemetry::start(arguments.spans().map(|(_, path)| path), arguments.verbose > 1)?;
    if arguments.trace.is_some() {
        output.warn("--trace is called --spans now, and the old name goes with the next release");
    }
    let done = execute(arguments.command, registry, output);
    // Where nothing was done, the file that may be there stays as it is.
    let is_refused = done.as_ref().is_err_and(|failure| failure.code == Code::Usage);
    let saved = spans.filter(|_| !is_refused).map_or(Ok(()), telemetry::Spans::save);
    done.and_then(|code| saved.map(|()| code))
}

fn execute(command: Command, registry: &Arc<Registry>, output: &Output) -> Result<Code, Failure> {
    match command {
        Command::Prove(arguments) => prove::run(&arguments, registry, output),
        Command::Verify(arguments) => verify::run(&arguments, registry, output),
        Command::Inspect(arguments) => inspect::run(&arguments, registry, output),
        Command::Record(arguments) => record::run(&arguments, registry, output),
        Command::Security(arguments) => security::run(&arguments, registry, output),
        Command::Airs => airs::run(registry, output),
        Command::Backends => backends::run(registry, output),
        Command::Bench(arguments) => bench::run(&arguments, registry, output),
        Command::Soak(arguments) => soak::run(&arguments, registry, output),
        Command::Kernels(arguments) => kernels::run(&arguments, registry, output),
        Command::Cairo(command) => return cairo::run(&command, registry, output),
        Command::Farm(command) => farm::run(command, registry, output),
        Command::Completions(arguments) => shell::completions(&arguments, registry, output),
        Command::Man(arguments) => shell::man(&arguments, parser::parser(), output),
    }?;
    Ok(Code::Success)
}
