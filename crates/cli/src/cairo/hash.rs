//! `polystark cairo program-hash`.

use std::path::PathBuf;

use cairo_run::felt::text;
use cairo_run::{Named, named};
use clap::Args;
use serde::Serialize;

use super::arguments::program_flags;
use crate::exit::Failure;
use crate::output::Output;
use crate::policy::ReadArguments;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The program: a compiled program or an executable, in JSON
    pub(super) program: PathBuf,
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

/// Says by which flags a verifier knows a program. Nothing is run.
pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let bytes = arguments.read.read_program(&arguments.program)?;
    let Named { hash, words, builtins } = named(&bytes).map_err(|error| Failure::file(&arguments.program, error))?;
    let view = View {
        file: arguments.program.display().to_string(),
        program_hash: text(&hash),
        program_words: words,
        builtins: builtins.iter().map(|builtin| builtin.to_str()).collect(),
        expect_flags: program_flags(&hash, &builtins),
    };
    output.result(&view, &format!("{}\n", view.expect_flags.join(" ")))
}
