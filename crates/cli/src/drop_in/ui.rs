//! The messages of Scarb's programs: on standard output, as text or as a JSON object a line.

use std::io::{self, IsTerminal as _, Write as _};

use clap::{ArgAction, Args, ValueEnum};
use serde::Serialize;

use super::variable;

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Verbosity {
    /// Nothing
    Quiet,
    /// Errors, but no warnings
    NoWarnings,
    /// Results, warnings and errors
    Normal,
    /// More
    Verbose,
}

/// The arguments of all of Scarb's programs.
#[derive(Args)]
pub(super) struct UiArguments {
    /// Write a JSON object a line, also where SCARB_OUTPUT_JSON is set
    #[arg(long)]
    json: bool,
    /// Say more
    #[arg(long, short, action = ArgAction::Count)]
    verbose: u8,
    /// Say less
    #[arg(long, short, action = ArgAction::Count, conflicts_with = "verbose")]
    quiet: u8,
    /// Say errors, but no warnings
    #[arg(long, conflicts_with_all = ["verbose", "quiet"])]
    no_warnings: bool,
    /// How much is said [default: SCARB_UI_VERBOSITY, or else normal]
    #[arg(long, value_enum)]
    verbosity: Option<Verbosity>,
}

/// The voice of a program.
#[derive(Clone, Copy)]
pub(super) struct Ui {
    pub(super) verbosity: Verbosity,
    is_json: bool,
}

#[derive(Serialize)]
struct Status<'a> {
    status: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct Typed<'a> {
    r#type: &'a str,
    message: &'a str,
}

impl UiArguments {
    pub(super) fn ui(&self) -> Ui {
        let named = || variable("SCARB_UI_VERBOSITY").and_then(|name| Verbosity::from_str(&name, true).ok());
        let verbosity = match (self.verbose, self.quiet, self.no_warnings) {
            (0, 0, false) => self.verbosity.or_else(named).unwrap_or(Verbosity::Normal),
            (0, 0, true) => Verbosity::NoWarnings,
            (0, ..) => Verbosity::Quiet,
            _ => Verbosity::Verbose,
        };
        Ui { verbosity, is_json: self.json || is_set("SCARB_OUTPUT_JSON") }
    }
}

/// Whether a variable is set to anything that means yes.
pub(super) fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| !matches!(&value[..], "false" | "0"))
}

impl Ui {
    /// A step of the work.
    pub(super) fn status(self, status: &str, message: &str) {
        if self.is_json {
            return self.object(&Status { status: &status.to_lowercase(), message });
        }
        self.line(&format!("{} {message}", styled("32;1", &format!("{status:>12}"))));
    }

    /// Why the work failed.
    pub(super) fn error(self, message: &str) {
        if self.is_json {
            return self.object(&Typed { r#type: "error", message });
        }
        self.line(&format!("{}: {message}", styled("31", "error")));
    }

    fn object(self, object: &impl Serialize) {
        // Strings alone.
        self.line(&serde_json::to_string(object).unwrap_or_default());
    }

    fn line(self, line: &str) {
        if self.verbosity > Verbosity::Quiet {
            // Nobody may be reading.
            let _ = writeln!(io::stdout(), "{line}");
        }
    }
}

/// A text in a style, on a terminal that wants colours.
fn styled(style: &str, text: &str) -> String {
    let is_styled = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    if is_styled { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
}
