//! `polystark cairo` of a program that was built without Cairo: it says so, and is no part of the help.

use std::ffi::OsString;

use clap::Subcommand;

use super::exit::{Code, Failure};
use super::output::Output;
use super::outputs::Named;
use crate::Registry;

/// Whatever is asked for.
#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(external_subcommand)]
    Any(Vec<OsString>),
}

impl Command {
    /// No list is read.
    pub(crate) fn read_list(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Nothing is asked for.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Nothing is written.
    pub(crate) fn interrupted(&self) -> &'static str {
        super::interrupt::NOTHING
    }

    /// No file is written.
    pub(crate) fn takes_stdout(&self) -> bool {
        false
    }

    /// No file is read or written.
    pub(crate) fn files(&self) -> Vec<Named<'_>> {
        Vec::new()
    }
}

/// Refuses.
pub(crate) fn run(command: &Command, _: &Registry, _: &Output) -> Result<Code, Failure> {
    let Command::Any(words) = command;
    let what = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    Err(Failure::usage(format!(
        "cairo {what}: this program knows no Cairo programs and no proofs of them: build it with polystark's feature `cairo`"
    )))
}
