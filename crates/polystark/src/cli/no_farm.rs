//! `polystark farm` of a program that was built without the farm: it says so, and is no part of the help.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::Subcommand;

use super::exit::Failure;
use super::output::Output;
use crate::Registry;

/// Whatever is asked for.
#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(external_subcommand)]
    Any(Vec<OsString>),
}

impl Command {
    /// No file is read or written.
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        Vec::new()
    }

    /// No file is written.
    pub(super) fn takes_stdout(&self) -> bool {
        false
    }
}

/// Refuses.
pub(crate) fn run(command: Command, _: &Arc<Registry>, _: &Output) -> Result<(), Failure> {
    let Command::Any(words) = command;
    let what = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    Err(Failure::usage(format!(
        "farm {what}: this program has no queue of jobs: build it with polystark's feature `farm`"
    )))
}
