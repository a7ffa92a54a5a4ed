//! Subcommands as values of a list: those that this program has, and those that features add.

use std::ffi::OsString;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command as Parser, FromArgMatches, Subcommand, value_parser};
use sdk::Registry;

use super::command::Command;
use crate::report::exit::Failure;
use crate::report::output::Output;

/// A subcommand of a list.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// Its line in the help.
    pub(crate) about: &'static str,
    pub(crate) arguments: fn(Parser) -> Parser,
    pub(crate) read: fn(&mut ArgMatches) -> Result<Box<dyn Command>, clap::Error>,
}

fn read<C: FromArgMatches + Command + 'static>(matches: &mut ArgMatches) -> Result<Box<dyn Command>, clap::Error> {
    Ok(Box::new(C::from_arg_matches_mut(matches)?))
}

/// A subcommand with arguments.
pub(crate) const fn one<C: Args + Command + 'static>(name: &'static str, about: &'static str) -> Entry {
    Entry { name, about, arguments: C::augment_args, read: read::<C> }
}

/// A subcommand with subcommands of its own, which are a type.
pub(crate) const fn several<C: Subcommand + Command + 'static>(name: &'static str, about: &'static str) -> Entry {
    let arguments = |parser| C::augment_subcommands(parser).subcommand_required(true).arg_required_else_help(true);
    Entry { name, about, arguments, read: read::<C> }
}

/// A subcommand that a feature adds.
pub(crate) struct OfFeature {
    pub(crate) name: &'static str,
    pub(crate) feature: &'static str,
    /// The message where the program was built without it.
    pub(crate) lack: &'static str,
}

/// The subcommands of a parser.
pub(crate) struct Subcommands {
    /// The word before their names with a space after it, if there is one.
    pub(crate) before: &'static str,
    /// The subcommands of this program, in the order of the help.
    pub(crate) present: &'static [Entry],
    pub(crate) of_features: &'static [OfFeature],
}

impl Subcommands {
    /// The parser with all of them. Those that this program was built without are no part of the help.
    pub(crate) fn augment(&self, parser: Parser) -> Parser {
        let present = |entry: &Entry| (entry.arguments)(Parser::new(entry.name)).about(entry.about).long_about(None);
        // All words that follow.
        let words = Arg::new("words").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
        let words = words.value_parser(value_parser!(OsString));
        let is_absent = |name| self.present.iter().all(|entry| entry.name != name);
        let absent = self.of_features.iter().filter(|one| is_absent(one.name));
        let absent = absent.map(|one| Parser::new(one.name).hide(true).arg(words.clone()));
        let parser = parser.subcommand_required(true).arg_required_else_help(true);
        parser.subcommands(self.present.iter().map(present).chain(absent))
    }

    /// The subcommand of a command line.
    pub(crate) fn read(&self, matches: &mut ArgMatches) -> Result<Box<dyn Command>, clap::Error> {
        let none = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, mut matches) = matches.remove_subcommand().ok_or_else(none)?;
        if let Some(entry) = self.present.iter().find(|entry| entry.name == name) {
            return (entry.read)(&mut matches);
        }
        let OfFeature { name, feature, lack } =
            self.of_features.iter().find(|one| one.name == name).ok_or_else(none)?;
        let before = self.before;
        Ok(Box::new(Absent(format!("{before}{name}: {lack}: build it with polystark's feature `{feature}`"))))
    }
}

/// A subcommand that this program was built without, as its message says.
struct Absent(String);

impl Command for Absent {
    fn run(&self, _: &Arc<Registry>, _: &Output) -> Result<(), Failure> {
        Err(Failure::usage(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::COMMANDS;

    /// The message of the subcommand that these words call in a program that was built without it.
    fn refusal(list: &Subcommands, words: &[&str]) -> String {
        let list = Subcommands { present: &[], ..*list };
        let parser = list.augment(Parser::new("polystark"));
        assert_eq!(parser.get_subcommands().filter(|one| !one.is_hide_set()).count(), 0);
        let mut matches = parser.try_get_matches_from([&["polystark"], words].concat()).unwrap();
        let command = list.read(&mut matches).unwrap();
        command.run(&Arc::new(Registry::shipped()), &Output::new(false, false)).expect_err("it is not there").message
    }

    #[test]
    fn absent_subcommands_name_the_feature_whatever_follows_them() {
        let lists = [
            &COMMANDS,
            #[cfg(feature = "cairo")]
            &crate::cairo::COMMANDS,
        ];
        for list in lists {
            for OfFeature { name, feature, lack } in list.of_features {
                let expected = format!("{}{name}: {lack}: build it with polystark's feature `{feature}`", list.before);
                for words in [&[*name][..], &[name, "--max-steps", "2^20", "x.json", "-o", "-"]] {
                    assert_eq!(refusal(list, words), expected);
                }
            }
        }
        let of_gpus = "kernels: this program knows no GPU of NVIDIA's: build it with polystark's feature `cuda`";
        assert_eq!(refusal(&COMMANDS, &["kernels"]), of_gpus);
    }

    /// A feature that this program has adds what the list says, by that name.
    #[test]
    fn subcommands_of_features_are_there_if_these_are() {
        let is_present = |list: &Subcommands, name: &str| list.present.iter().any(|entry| entry.name == name);
        assert_eq!(is_present(&COMMANDS, "bench"), cfg!(feature = "bench"));
        assert_eq!(is_present(&COMMANDS, "soak"), cfg!(feature = "soak"));
        assert_eq!(is_present(&COMMANDS, "kernels"), cfg!(feature = "cuda"));
        assert_eq!(is_present(&COMMANDS, "cairo"), cfg!(feature = "cairo"));
        assert_eq!(is_present(&COMMANDS, "farm"), cfg!(feature = "farm"));
        #[cfg(feature = "cairo")]
        for (name, is_expected) in [
            ("prove", cfg!(feature = "cairo-vm")),
            ("run", cfg!(feature = "cairo-vm")),
            ("client-prove", cfg!(feature = "client-prove")),
            ("client-verify", cfg!(feature = "client")),
        ] {
            assert_eq!(is_present(&crate::cairo::COMMANDS, name), is_expected, "{name}");
        }
    }
}
