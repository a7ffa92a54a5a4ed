//! `polystark completions` and `polystark man`: completions for a shell and manual pages, under the name by which the
//! program was called, which is another one where another program has this `main`.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use serde::Serialize;

use crate::arguments::hints;
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::Registry;
use sdk::proof_format::text::excerpt;
use sdk::support::nearest;

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
    /// The program of the file.
    program: String,
    text: String,
}

/// Writes the text from which a shell completes arguments of a parser, names of AIRs and backends in `registry` among
/// them.
pub(crate) fn completions(
    arguments: &CompletionsArguments,
    parser: Command,
    registry: &Registry,
    output: &Output,
) -> Result<(), Failure> {
    let (program, mut text) = (program(), Vec::new());
    let mut command = with_names(parser, &Names::of(registry));
    generate(arguments.shell, &mut command, program.clone(), &mut text);
    say(program, text, output)
}

/// Names that a shell completes.
struct Names {
    airs: Vec<String>,
    /// Each with the sign after it.
    parameters: Vec<String>,
    backends: Vec<String>,
}

impl Names {
    fn of(registry: &Registry) -> Self {
        let parameters = hints::parameters(registry).into_iter().map(|name| name + "=").collect();
        let backends = ["auto"].into_iter().chain(registry.names()).map(str::to_owned).collect();
        Self { airs: hints::airs(registry), parameters, backends }
    }

    /// The words that an argument takes, or begins with; nothing if it takes others.
    fn taken_by(&self, argument: &Arg) -> Vec<String> {
        match argument.get_long() {
            Some("air" | "expect-air") => self.airs.clone(),
            Some("param" | "expect-param") => self.parameters.clone(),
            Some("backend") => self.backends.clone(),
            Some(long) => hints::values_of(&format!("--{long}")).iter().map(|&value| value.to_owned()).collect(),
            None => Vec::new(),
        }
    }
}

/// The command for completions alone: with lists of names where its own parsers take any word.
fn with_names(command: Command, names: &Names) -> Command {
    let command = command.mut_args(|argument| {
        // The parser wants names that live as long as the program, which ends when the text is written.
        let taken: Vec<&'static str> = names.taken_by(&argument).into_iter().map(|name| &*name.leak()).collect();
        if taken.is_empty() { argument } else { argument.value_parser(PossibleValuesParser::new(taken)) }
    });
    command.mut_subcommands(|one| with_names(one, names))
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
            let near = nearest(name, known.iter().copied()).map(|near| format!(" (did you mean `{near}`?)"));
            Failure::usage(format!(
                "no subcommand `{}`{}; there are: {}",
                excerpt(name),
                near.unwrap_or_default(),
                known.join(", ")
            ))
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
