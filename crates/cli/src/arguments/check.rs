//! Arguments as [`crate::main`] reads them, up to where something would be done: for tests of how they are refused.

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::Command as Parser;

use super::global::GlobalArguments;
use super::parser;
use crate::command::Command;
use crate::outputs::{self, Named};
use crate::report::exit::{Code, Failure};
use sdk::Registry;

/// Reads and checks a command line, the program's name first: the demands of its policies, and whether the statement
/// exists and has such options. Nothing is opened, read, written, proven or verified.
///
/// # Errors
/// The exit code, and the message. Help and the version, where they are asked for, are code 0.
pub fn check(words: impl IntoIterator<Item = OsString>) -> Result<(), (u8, String)> {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::shipped);
    let arguments = parser::parse(words).map_err(|error| {
        let code = if error.use_stderr() { Code::Usage } else { Code::Success };
        (code as u8, error.render().to_string())
    })?;
    checked(arguments, &REGISTRY).map_err(|failure| (failure.code as u8, failure.message))
}

fn checked((global, command): (GlobalArguments, Box<dyn Command>), registry: &Registry) -> Result<(), Failure> {
    let mut files = command.files();
    files.extend(global.spans().map(Named::from));
    outputs::distinct(&files)?;
    command.check(registry)
}

/// The words of each subcommand, and its flags.
pub fn subcommands() -> Vec<(Vec<String>, Vec<String>)> {
    fn walk(of: &Parser, words: &[String], all: &mut Vec<(Vec<String>, Vec<String>)>) {
        let long = of.get_arguments().filter_map(|argument| Some(format!("--{}", argument.get_long()?)));
        let short = of.get_arguments().filter_map(|argument| Some(format!("-{}", argument.get_short()?)));
        all.push((words.to_vec(), long.chain(short).collect()));
        of.get_subcommands().for_each(|one| walk(one, &[words, &[one.get_name().to_owned()]].concat(), all));
    }
    let (mut parser, mut all) = (parser::parser(), Vec::new());
    // Adds inherited and built-in arguments.
    parser.build();
    walk(&parser, &[], &mut all);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_line(line: &str) -> Result<(), (u8, String)> {
        check(line.split(' ').map(OsString::from))
    }

    #[test]
    fn arguments_are_checked_and_nothing_is_done() {
        assert_eq!(check_line("polystark prove --air fibonacci --rows 64 -o /nowhere/proof"), Ok(()));
        assert_eq!(check_line("polystark verify /nowhere/proof --security provable-80"), Ok(()));
        let refused = |line: &str, word: &str| {
            let (code, text) = check_line(line).expect_err(line);
            assert!(code == 2 && text.contains(word), "{line}: {code}: {text}");
        };
        refused("polystark prove --air fibonacci --rows 63 -o proof", "63");
        refused("polystark prove --air nothing --rows 64 -o proof", "nothing");
        refused("polystark verify proof --security provable-80 --bits 90", "leave out");
        refused("polystark prove --air fibonacci --rows 64 -o proof --raw proof", "proof");
        assert_eq!(check_line("polystark --help").expect_err("help").0, 0);
    }

    #[test]
    fn subcommands_have_flags() {
        let all = subcommands();
        let flags = |words: &[&str]| &all.iter().find(|(found, _)| found == words).expect("it is there").1;
        assert!(
            flags(&["prove"]).iter().any(|flag| flag == "--air") && flags(&["prove"]).iter().any(|flag| flag == "-o")
        );
        #[cfg(feature = "cairo")]
        assert!(flags(&["cairo", "verify"]).iter().any(|flag| flag == "--expect-program"));
    }
}
