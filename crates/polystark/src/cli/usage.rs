//! Arguments that make no sense: said as all failures are, for people and for machines.

use std::ffi::OsString;

use clap::error::ErrorKind;
use serde::Serialize;

use super::exit::Code;
use super::hints::hinted;
use super::output::Output;
use super::parser::parser;
use crate::Registry;

#[derive(Serialize)]
struct View<'a> {
    status: &'static str,
    exit_code: u8,
    error: &'a str,
    /// How the subcommand is called; null if the parser says nothing of it.
    usage: Option<&'a str>,
}

/// Says what the parser of the arguments has to say, which may be what was asked for: help, or the version.
pub(crate) fn say(error: clap::Error, words: Vec<OsString>, registry: &Registry) -> Code {
    let error = if error.use_stderr() { hinted(error, &parser(), &words, registry) } else { error };
    if error.use_stderr() && asks_for_json(words) {
        let text = error.render().to_string();
        let (message, usage) = parts(error.kind(), &text);
        Output::new(true, false).machine(&View {
            status: Code::Usage.name(),
            exit_code: Code::Usage as u8,
            error: message,
            usage,
        });
    }
    // Nobody may be reading.
    let _ = error.print();
    if error.use_stderr() { Code::Usage } else { Code::Success }
}

/// Whether `--json` is among the arguments, which cannot be parsed: then all that is known of it is that it stands there.
fn asks_for_json(arguments: impl IntoIterator<Item = OsString>) -> bool {
    arguments.into_iter().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// The message and the usage in a text of the parser: paragraphs, of which one begins with `Usage:`.
fn parts(kind: ErrorKind, text: &str) -> (&str, Option<&str>) {
    let (before, usage) = match text.split_once("Usage: ") {
        Some((before, usage)) => (before, Some(usage.split("\n\n").next().unwrap_or(usage).trim())),
        None => (text.split("\n\nFor more information").next().unwrap_or(text), None),
    };
    let message = match kind {
        // The whole help.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a subcommand or an argument is missing",
        _ => before.trim().trim_start_matches("error: "),
    };
    (message, usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_parser_says_has_parts() {
        let text = "error: unexpected argument '--x' found\n\n  tip: try '--y'\n\nUsage: p prove --air <NAME>\n\nFor more information, try '--help'.\n";
        let expected = ("unexpected argument '--x' found\n\n  tip: try '--y'", Some("p prove --air <NAME>"));
        assert_eq!(parts(ErrorKind::UnknownArgument, text), expected);
        let plain = "error: invalid value\n\nFor more information, try '--help'.\n";
        assert_eq!(parts(ErrorKind::ValueValidation, plain), ("invalid value", None));
        let help = "STARK proofs\n\nUsage: p <COMMAND>\n\nCommands:\n";
        let (message, usage) = parts(ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, help);
        assert!(message.contains("missing") && usage == Some("p <COMMAND>"), "{message}");
    }
}
