//! `polystark completions` and `polystark man`: what a shell and a reader of manuals want of the program, under the name by which it was
//! called, which is another one where another `main` calls [`super::main_with`].

use std::path::Path;

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use serde::Serialize;

use super::exit::Failure;
use super::output::Output;
use crate::proof_format::text::shown;

#[derive(Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Args)]
pub(crate) struct ManArguments {
    /// The page of this subcommand, such as `cairo prove`, instead of that of the program
    subcommand: Vec<String>,
}

#[derive(Serialize)]
struct View {
    /// What it is a file of.
    program: String,
    text: String,
}

/// Writes what a shell reads to complete arguments of the program, whose arguments are `command`.
pub(crate) fn completions(
    arguments: &CompletionsArguments,
    mut command: Command,
    output: &Output,
) -> Result<(), Failure> {
    let (program, mut text) = (program(), Vec::new());
    generate(arguments.shell, &mut command, program.clone(), &mut text);
    say(program, text, output)
}

/// Writes a page of the manual, as `man -l -` takes it.
pub(crate) fn man(arguments: &ManArguments, command: Command, output: &Output) -> Result<(), Failure> {
    let program = program();
    let mut command = command.display_name(program.clone()).bin_name(program);
    // Gives subcommands the whole name by which they are called.
    command.build();
    let mut page = &command;
    for name in &arguments.subcommand {
        page = page.find_subcommand(name).ok_or_else(|| {
            let known: Vec<&str> = page.get_subcommands().map(Command::get_name).collect();
            Failure::usage(format!("no subcommand `{}`; there are: {}", shown(name), known.join(", ")))
        })?;
    }
    let (name, mut text) = (page.get_display_name().unwrap_or(page.get_name()).to_owned(), Vec::new());
    let man = Man::new(page.clone()).title(name.clone());
    man.render(&mut text).map_err(|error| Failure::usage(format!("the page cannot be written: {error}")))?;
    say(name, text, output)
}

fn say(program: String, text: Vec<u8>, output: &Output) -> Result<(), Failure> {
    let text = String::from_utf8_lossy(&text).into_owned();
    let view = View { program, text };
    output.result(&view, &view.text)
}

/// The name by which this program was called.
fn program() -> String {
    let called = std::env::args_os().next().unwrap_or_default();
    let stem = Path::new(&called).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "polystark".to_owned())
}
