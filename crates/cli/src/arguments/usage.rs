//! Arguments that make no sense: said as all failures are, for people and for machines.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::error::ErrorKind;
use serde::Serialize;

use super::hints::{hinted, parts_of};
use super::parser::parser;
use crate::report::exit::Code;
use crate::report::output::Output;
use sdk::Registry;
use sdk::proof_format::text::{bounded, shortened};

#[derive(Serialize)]
struct View<'a> {
    status: &'static str,
    exit_code: u8,
    error: &'a str,
    /// How the subcommand is called; null if the parser says nothing of it.
    usage: Option<&'a str>,
}

/// Prints the message of the parser of the arguments, which may be the requested help or version.
pub(crate) fn say(error: clap::Error, arguments: Vec<OsString>, registry: &Registry) -> Code {
    let error = if error.use_stderr() { hinted(error, &parser(), &arguments, registry) } else { error };
    let words: Vec<Cow<'_, str>> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let rendered = error.render().to_string();
    // The parser repeats arguments of any length.
    let text = bounded(&shortened(&rendered, parts_of(words.iter().map(|word| &**word)))).into_owned();
    if error.use_stderr() && asks_for_json(&arguments) {
        let (message, usage) = parts(error.kind(), &text);
        Output::new(true, false).machine(&View {
            status: Code::Usage.name(),
            exit_code: Code::Usage as u8,
            error: message,
            usage,
        });
    }
    // Nobody may be reading. Requested help is shown at any length.
    let _ = match error.use_stderr() && text != rendered {
        true => io::stderr().write_all(text.as_bytes()),
        false => error.print(),
    };
    if error.use_stderr() { Code::Usage } else { Code::Success }
}

/// Whether `--json` is among the arguments, which cannot be parsed: then all that is known of it is that it stands
/// there.
fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
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
