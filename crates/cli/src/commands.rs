//! The subcommands as values of one list, to which a feature adds its own.

use std::ffi::OsString;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command as Parser, FromArgMatches};
use sdk::Registry;

use super::command::Command;
use super::exit::Failure;
use super::output::Output;
use super::{airs, backends, bench, inspect, prove, record, security, shell, soak, verify};

/// A subcommand of the list.
struct Entry {
    name: &'static str,
    /// Its line in the help.
    about: &'static str,
    arguments: fn(Parser) -> Parser,
    read: fn(&mut ArgMatches) -> Result<Box<dyn Command>, clap::Error>,
}

fn read<C: FromArgMatches + Command + 'static>(matches: &mut ArgMatches) -> Result<Box<dyn Command>, clap::Error> {
    Ok(Box::new(C::from_arg_matches_mut(matches)?))
}

/// A subcommand with arguments.
const fn one<C: Args + Command + 'static>(name: &'static str, about: &'static str) -> Entry {
    Entry { name, about, arguments: C::augment_args, read: read::<C> }
}

/// A subcommand with subcommands of its own.
const fn several<C: clap::Subcommand + Command + 'static>(name: &'static str, about: &'static str) -> Entry {
    let arguments = |parser| C::augment_subcommands(parser).subcommand_required(true).arg_required_else_help(true);
    Entry { name, about, arguments, read: read::<C> }
}

/// All of them, in the order of the help.
const ALL: &[Entry] = &[
    one::<prove::Arguments>("prove", "Prove a statement, verify the proof and write both to a file"),
    one::<verify::Arguments>("verify", "Verify the proof in a file and say what was proven"),
    one::<inspect::Arguments>("inspect", "Show what a file holds, without verifying it"),
    one::<record::Arguments>(
        "record",
        "Write the constraints of an AIR to a file, which proves and verifies where its code is not: `prove --air-file`. AIRs that are made \
         of components with code of their own cannot be recorded; `polystark airs` says which",
    ),
    one::<security::Arguments>(
        "security",
        "Show what each round of a proof is worth, and find the cheapest options that are worth so much. Nothing is proven or verified",
    ),
    one::<airs::Arguments>("airs", "List the AIRs and their parameters"),
    one::<backends::Arguments>("backends", "List the backends: which can be used here, on what device, and why not"),
    one::<bench::Arguments>("bench", "Measure proofs end to end and by operation"),
    one::<soak::Arguments>(
        "soak",
        "Prove random statements, true and false, and compare every proof with another backend's, for minutes or for days",
    ),
    #[cfg(feature = "cuda")]
    one::<super::kernels::Arguments>(
        "kernels",
        "Compile kernels for NVIDIA's GPUs, so that the machines that have them need no compiler and wait for none",
    ),
    #[cfg(feature = "cairo")]
    several::<super::cairo::Command>("cairo", "Prove programs of the Cairo virtual machine, and verify such proofs"),
    #[cfg(feature = "farm")]
    several::<super::farm::Command>(
        "farm",
        "Prove jobs of a queue, for one machine or for many: workers, jobs, an HTTP service",
    ),
    one::<shell::CompletionsArguments>("completions", "Write what a shell needs to complete these arguments"),
    one::<shell::ManArguments>("man", "Write the manual in the format of man pages: `polystark man | man -l -`"),
];

/// The subcommands of features: the name, the feature, whether this program has it, and the message where it does not.
const OF_FEATURES: [(&str, &str, bool, &str); 3] = [
    ("kernels", "cuda", cfg!(feature = "cuda"), "this program knows no GPU of NVIDIA's"),
    ("cairo", "cairo-vm", cfg!(feature = "cairo"), "this program knows no Cairo programs and no proofs of them"),
    ("farm", "farm", cfg!(feature = "farm"), "this program has no queue of jobs"),
];

/// The parser with all subcommands. Subcommands that this program was built without are no part of the help.
pub(crate) fn augment(parser: Parser) -> Parser {
    let present = |entry: &Entry| (entry.arguments)(Parser::new(entry.name)).about(entry.about).long_about(None);
    let absent = OF_FEATURES.into_iter().filter(|(_, _, is_present, _)| !is_present);
    let absent = absent.map(|(name, ..)| Absent::augment_args(Parser::new(name)).hide(true));
    let parser = parser.subcommand_required(true).arg_required_else_help(true);
    parser.subcommands(ALL.iter().map(present).chain(absent))
}

/// The subcommand of a command line.
pub(crate) fn of(matches: &mut ArgMatches) -> Result<Box<dyn Command>, clap::Error> {
    // The parser wants one of the list.
    let (name, mut matches) = matches.remove_subcommand().unwrap_or_default();
    if let Some(entry) = ALL.iter().find(|entry| entry.name == name) {
        return (entry.read)(&mut matches);
    }
    Ok(Box::new(Absent { name, ..Absent::from_arg_matches_mut(&mut matches)? }))
}

/// A subcommand that this program was built without: it says so.
#[derive(Args)]
pub(crate) struct Absent {
    /// Its arguments, which may be anything.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
    #[arg(skip)]
    name: String,
}

impl Absent {
    /// The refusal of a subcommand: the part of the program that is missing, and the feature of polystark that has it.
    pub(crate) fn failure(subcommand: &str, lack: &str, feature: &str) -> Failure {
        Failure::usage(format!("{subcommand}: {lack}: build it with polystark's feature `{feature}`"))
    }
}

impl Command for Absent {
    fn run(&self, _: &Arc<Registry>, _: &Output) -> Result<(), Failure> {
        let word = self.words.first().map(|word| format!(" {}", word.to_string_lossy())).unwrap_or_default();
        let name = format!("{}{word}", self.name);
        let of = OF_FEATURES.into_iter().find(|(known, ..)| *known == self.name);
        let failure = |(_, feature, _, lack)| Absent::failure(&name, lack, feature);
        Err(of.map_or_else(|| Failure::usage(name.clone()), failure))
    }
}
