//! `polystark cairo program-hash`.

use std::path::PathBuf;
use std::sync::Arc;

use cairo_run::felt::text;
use clap::Args;
use sdk::Registry;
use serde::Serialize;

use super::arguments::program_flags;
use crate::command::{Command, named};
use crate::inputs::policy::ReadArguments;
use crate::outputs::Named;
use crate::report::exit::Failure;
use crate::report::output::Output;

#[derive(Args)]
pub(crate) struct ProgramHashCommand {
    /// The program: a compiled program or an executable, in JSON
    program: PathBuf,
    #[command(flatten)]
    read: ReadArguments,
}

#[derive(Serialize)]
struct View {
    file: String,
    program_hash: String,
    program_words: usize,
    builtins: Vec<&'static str>,
    /// The arguments of `polystark cairo verify`.
    expect_flags: Vec<String>,
}

impl Command for ProgramHashCommand {
    fn files(&self) -> Vec<Named<'_>> {
        named([("PROGRAM", self.program.as_path())])
    }

    /// Says by which flags a verifier knows a program. Nothing is run.
    fn run(&self, _: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let bytes = self.read.read_program(&self.program)?;
        let cairo_run::Named { hash, words, builtins } =
            cairo_run::named(&bytes).map_err(|error| Failure::file(&self.program, error))?;
        let view = View {
            file: self.program.display().to_string(),
            program_hash: text(&hash),
            program_words: words,
            builtins: builtins.iter().map(|builtin| builtin.to_str()).collect(),
            expect_flags: program_flags(&hash, &builtins),
        };
        output.result(&view, &format!("{}\n", view.expect_flags.join(" ")))
    }
}
