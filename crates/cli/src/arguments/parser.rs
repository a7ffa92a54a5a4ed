//! The parser of the arguments: clap's derivation, with sections and examples in the help.

use std::ffi::OsString;
use std::sync::Arc;

use clap::{Args as _, Command as Parser, FromArgMatches as _};

use super::global::{AFTER_HELP, GlobalArguments};
use crate::command::Command;
use crate::commands::COMMANDS;
use crate::commands::shell::{CompletionsArguments, ManArguments, completions, man};
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::Registry;

/// Longest line of the help.
const WIDEST: usize = 110;

/// The version, and in brackets the commit that the program is built from and its day, as far as they are known.
const VERSION: &str = env!("POLYSTARK_VERSION");

/// The parser.
pub(crate) fn parser() -> Parser {
    let program = Parser::new("polystark").version(VERSION).about("STARK proofs on any hardware");
    let program = GlobalArguments::augment_args(program).after_help(AFTER_HELP).max_term_width(WIDEST);
    with_help(COMMANDS.augment(program), "")
}

/// Reads a command line, the program's name first.
pub(crate) fn parse(
    words: impl IntoIterator<Item = OsString>,
) -> Result<(GlobalArguments, Box<dyn Command>), clap::Error> {
    let mut parser = parser();
    let mut matches = parser.try_get_matches_from_mut(words)?;
    let mut read = || Ok((GlobalArguments::from_arg_matches_mut(&mut matches)?, COMMANDS.read(&mut matches)?));
    read().map_err(|error: clap::Error| error.format(&mut parser))
}

impl Command for CompletionsArguments {
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        completions(self, parser(), registry, output)
    }
}

impl Command for ManArguments {
    fn run(&self, _: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        man(self, parser(), output)
    }
}

/// A command and its subcommands, with sections and examples; `path` is its name.
fn with_help(command: Parser, path: &str) -> Parser {
    let command = match examples(path) {
        [] => command,
        lines => command.after_help(format!("Examples:\n  {}", lines.join("\n  "))),
    };
    let sectioned = command.mut_args(|argument| match section(argument.get_id().as_str()) {
        Some(section) => argument.help_heading(section),
        None => argument,
    });
    sectioned.mut_subcommands(|one| {
        let path = format!("{path} {}", one.get_name());
        with_help(one, path.trim_start())
    })
}

/// The section of the help that an argument is in; the general ones are in none.
fn section(id: &str) -> Option<&'static str> {
    Some(match id {
        "protocol" | "air" | "rows" | "parameters" | "air_file" | "trace_file" | "trace_from" | "sweep" => "Statement",
        "program_type" | "args" | "args_file" | "program_input" | "machine" | "hints" => "Program",
        "security" | "min_security_bits" | "queries" => "Security",
        "blowup" | "grinding" | "coset_offset" | "hash" | "transcript_seed" => "Options of Goldilocks proofs",
        "log_blowup" | "pow_bits" | "fold_step" | "log_last" | "lifting" | "channel" | "preprocessed" | "keep" => {
            "Options of Circle proofs"
        }
        "backend" | "device" | "devices" | "spill" | "threads" => "Device",
        "check" | "check_limit" => "Check of the trace",
        "max_bytes" | "max_cells" | "max_steps" | "max_addresses" | "preprocessed_root" => "Limits",
        "expect_blowup" | "expect_grinding" | "expect_coset_offset" | "expect_hash" | "expect_seed" => {
            "Expected of Goldilocks proofs"
        }
        "expect_log_blowup" | "expect_pow_bits" | "expect_fold_step" | "expect_log_last" | "expect_lifting" => {
            "Expected of Circle proofs"
        }
        _ if id.starts_with("expect_") => "Expected of the proof",
        "output" | "raw" | "format" | "params_out" | "json_file" | "html" => "Output",
        _ => return None,
    })
}

/// Examples of a subcommand. All of them are read by a test.
fn examples(path: &str) -> &'static [&'static str] {
    match path {
        "prove" => &[
            "polystark prove --air fibonacci --rows 2^16 --param a=1 -o fib.polystark",
            "polystark prove --air fibonacci-rap --rows 1024 --param steps=20 -o rap.polystark",
            "polystark prove --air-file my.air --trace-file trace.npy --check -o my.polystark",
        ],
        "verify" => &[
            "polystark verify fib.polystark --expect-air fibonacci --expect-rows 2^16 --expect-param a=1",
            "polystark verify fib.polystark --expect-air fibonacci --security provable-100 --json",
        ],
        "inspect" => &["polystark inspect fib.polystark", "polystark inspect - --json < fib.polystark"],
        "record" => &["polystark record --air fibonacci-rap --rows 1024 --param steps=20 -o rap.air"],
        "security" => &[
            "polystark security fib.polystark",
            "polystark security --air fibonacci --rows 2^20 --security provable-100",
        ],
        "bench" => &[
            "polystark bench --air fibonacci-rap --rows 2^18",
            "polystark bench ops --protocol circle --html ops.html",
        ],
        "soak" => &["polystark soak --minutes 60 --backend cpu"],
        "cairo prove" => &[
            "polystark cairo prove fib.json -o fib.proof",
            "polystark cairo prove main.executable.json --args 1,2 -o main.proof",
            "polystark cairo prove --batch programs.jsonl",
        ],
        "cairo run" => &["polystark cairo run main.executable.json --args 1,2"],
        "cairo verify" => &["polystark cairo verify fib.proof --expect-program 0x5b1c6ad"],
        #[cfg(feature = "client-prove")]
        "cairo client-prove" => &["polystark cairo client-prove pie.zip -o proof.bin --facts facts.json"],
        #[cfg(feature = "client")]
        "cairo client-verify" => &["polystark cairo client-verify proof.bin --facts facts.json"],
        "gkr prove" => &["polystark gkr prove --tree grand-product:2^10=factors.npy -o product.gkr"],
        "gkr verify" => &["polystark gkr verify product.gkr --tree grand-product:2^10=factors.npy"],
        "completions" => &["polystark completions bash > ~/.local/share/bash-completion/completions/polystark"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    /// All subcommands by the words that call them.
    fn walk(command: &Parser, path: &str, see: &mut dyn FnMut(&Parser, &str)) {
        see(command, path);
        for one in command.get_subcommands() {
            walk(one, format!("{path} {}", one.get_name()).trim_start(), see);
        }
    }

    #[test]
    fn examples_are_understood() {
        let mut seen = 0;
        walk(&parser(), "", &mut |_, path| {
            for example in examples(path) {
                let words = example.split(' ').take_while(|word| !matches!(*word, ">" | "<")).map(OsString::from);
                if let Err(error) = parse(words) {
                    panic!("{example}: {error}");
                }
                assert!(example.starts_with(&format!("polystark {path} ")), "{example}");
                seen += 1;
            }
        });
        assert!(seen >= 15, "{seen}");
    }

    #[test]
    fn help_is_narrow_and_has_sections() {
        for path in ["prove", "verify", "security"] {
            let words = ["polystark", path, "--help"].map(OsString::from);
            let help = parse(words).err().expect("help is no command");
            assert_eq!(help.kind(), ErrorKind::DisplayHelp);
            let text = help.to_string();
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= WIDEST, "{path}: {widest} letters in a line");
            assert!(text.contains("\nSecurity:\n") && text.contains("\nExamples:\n"), "{text}");
        }
    }
}
