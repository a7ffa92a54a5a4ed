//! A subcommand as a value.

use std::path::Path;
use std::sync::Arc;

use sdk::Registry;

use super::interrupt;
use super::outputs::{Named, is_stream};
use crate::report::exit::{Code, Failure};
use crate::report::output::Output;

/// A subcommand with its arguments.
pub(crate) trait Command {
    /// Reads the lists that name further files.
    fn read_lists(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// The files that are read or written, each with the argument that names it.
    fn files(&self) -> Vec<Named<'_>> {
        Vec::new()
    }

    /// The noun of a message about an interrupt, which counts the files that were written; `None` for a subcommand that
    /// ends in its own way: the farm, and subcommands that read strangers' files in as little memory as they can, of
    /// which the thread that waits for signals takes a part.
    fn interrupted(&self) -> Option<&'static str> {
        Some(interrupt::NOTHING)
    }

    /// Whether a file that is written is standard output.
    fn takes_stdout(&self) -> bool {
        false
    }

    /// Checks the arguments as far as that needs no file and no device.
    fn check(&self, _registry: &Registry) -> Result<(), Failure> {
        Ok(())
    }

    /// Does the work.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure>;

    /// Does the work, and says how the process ends.
    fn run_to_code(&self, registry: &Arc<Registry>, output: &Output) -> Result<Code, Failure> {
        self.run(registry, output).map(|()| Code::Success)
    }
}

/// Whether one of these files is a standard stream.
pub(crate) fn has_stream(files: &[Named<'_>]) -> bool {
    files.iter().any(|file| is_stream(file.path))
}

/// Files with their arguments.
pub(crate) fn named<'a>(files: impl IntoIterator<Item = (&'static str, &'a Path)>) -> Vec<Named<'a>> {
    files.into_iter().map(Named::from).collect()
}
