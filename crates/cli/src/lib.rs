//! The command line: arguments, and the frame around every subcommand. A program of another repository may call
//! [`main_with`].
#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "cairo-vm", feature = "cuda", feature = "farm")),
    expect(dead_code, reason = "small parts of the subcommands that this build leaves out")
)]

mod arguments;
#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "cairo")]
mod cairo;
mod circle;
mod command;
mod commands;
#[cfg(feature = "cairo-vm")]
mod drop_in;
#[cfg(feature = "farm")]
mod farm;
mod gkr;
mod goldilocks;
mod inputs;
mod interrupt;
mod lock;
mod outputs;
mod progress;
mod protocol;
mod report;
#[cfg(feature = "soak")]
mod soak;
mod subcommands;

use std::process::ExitCode;
use std::sync::Arc;

pub use arguments::check::{check, subcommands};

use arguments::global::GlobalArguments;
use command::Command;
use outputs::Named;
use progress::telemetry;
use report::exit::{Code, Failure};
use report::output::{Output, Volume};
use sdk::Registry;

/// Parses the arguments of the process, does the work, and reports it.
pub fn main() -> ExitCode {
    main_with(Registry::shipped())
}

/// As [`main`], with the AIRs and backends of `registry`: the `main` of a program that brings AIRs or backends of its
/// own.
pub fn main_with(registry: Registry) -> ExitCode {
    // In a process that is started for hints: before it takes anything of its own.
    #[cfg(feature = "python-hints")]
    if let Some(code) = cairo_run::serve_hints() {
        return code;
    }
    let words: Vec<_> = std::env::args_os().collect();
    #[cfg(feature = "cairo-vm")]
    if let Some(main) = words.first().and_then(|name| drop_in::called(name)) {
        return main(words, &registry);
    }
    let (global, command) = match arguments::parser::parse(words.iter().cloned()) {
        Ok(arguments) => arguments,
        Err(error) => return arguments::usage::say(error, words, &registry).into(),
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
