//! Guesses at the meaning of wrong arguments, beyond the parser's own: names of other tools, parameters and AIRs in the
//! wrong place, numbers in other forms.

use std::ffi::OsString;

use clap::Command as Parser;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use super::numbers::meant_number;
use sdk::hal::CircleStark;
use sdk::support::nearest;
use sdk::{Airs, Family, Goldilocks3, ProofSystem, Registry};

/// Flags of other provers and of other subcommands, and their names here.
const CALLED: &[(&str, &str)] = &[
    // Flags of scarb, cairo-run and stwo's `cairo-prove`.
    ("--arguments", "--args"),
    ("--arguments-file", "--args-file"),
    ("--program-arguments", "--args"),
    // Flags of the other protocol.
    ("--grinding", "--pow-bits"),
    ("--blowup", "--log-blowup"),
    ("--pow-bits", "--grinding"),
    ("--log-blowup", "--blowup"),
    // Flags of the other side.
    ("--air", "--expect-air"),
    ("--rows", "--expect-rows"),
    ("--param", "--expect-param"),
    ("--public", "--expect-public"),
    ("--program", "--expect-program"),
    ("--out", "--output"),
    ("--proof", "--output"),
    ("--trace-length", "--rows"),
    ("--log-rows", "--rows"),
    ("--name", "--air"),
    ("--proof-format", "--format"),
    ("--proof_format", "--format"),
    ("--gpu", "--backend cuda"),
    ("--cpu", "--backend cpu"),
];

/// Subcommands that other programs have.
const COMMANDS: &[(&str, &str)] = &[
    ("proof", "prove"),
    ("list", "airs"),
    ("statements", "airs"),
    ("devices", "backends"),
    ("gpus", "backends"),
    ("show", "inspect"),
    ("info", "inspect"),
    ("check", "verify"),
    ("dump", "export"),
    ("version", "--version"),
];

/// Values of arguments that people call otherwise.
const VALUES: &[(&str, &str, &str)] = &[
    ("--protocol", "stwo", "circle"),
    ("--protocol", "m31", "circle"),
    ("--protocol", "lambdaworks", "goldilocks"),
    ("--program-type", "cairo0", "json"),
    ("--program-type", "compiled", "json"),
    ("--program-type", "cairo1", "executable"),
    ("--program-type", "cairo", "executable"),
    ("--trace-from", "gpu", "device"),
    ("--trace-from", "host", "upload"),
    ("--hash", "sha3", "keccak256"),
];

/// Values of arguments whose parsers have no lists of them.
pub(crate) fn values_of(flag: &str) -> &'static [&'static str] {
    match flag {
        "--hash" | "--expect-hash" => &["keccak256", "poseidon2"],
        "--format" | "--expect-format" => &["lambdaworks", "compact"],
        "--keep" => &["all", "extensions", "prefixes", "sources"],
        "--preprocessed" => &["auto", "canonical", "canonical-without-pedersen", "canonical-small"],
        "--spill" => &["host"],
        "--lifting" | "--expect-lifting" => &["none"],
        "--security" => &["provable-100", "provable-128", "first-order-100", "conjectured-100", "claimed-80"],
        _ => &[],
    }
}

/// The same error with a tip, if the meaning is plain.
pub(crate) fn hinted(mut error: Error, parser: &Parser, words: &[OsString], registry: &Registry) -> Error {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let known = KnownNames { command: called(parser, &words), words: &words, registry };
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let flag = text(ContextKind::InvalidArg).unwrap_or_default();
    // The parser says `--rows <N>` where it means the flag.
    let flag = flag.split([' ', '=']).next().unwrap_or_default();
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => {
            let is_suggested = error.get(ContextKind::SuggestedArg).is_some();
            known.argument(flag).or_else(|| known.near_flag(flag).filter(|_| !is_suggested))
        }
        ErrorKind::InvalidSubcommand => {
            let is_suggested = error.get(ContextKind::SuggestedSubcommand).is_some();
            text(ContextKind::InvalidSubcommand).and_then(|name| known.subcommand(parser, &name, is_suggested))
        }
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            text(ContextKind::InvalidValue).and_then(|value| known.value(flag, &value))
        }
        _ => None,
    };
    if let Some(tip) = tip {
        for suggested in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue] {
            error.remove(suggested);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
    error
}

/// The subcommand that the words call.
fn called<'a>(parser: &'a Parser, words: &[&str]) -> &'a Parser {
    let mut command = parser;
    for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
        match command.find_subcommand(word) {
            Some(found) => command = found,
            None => break,
        }
    }
    command
}

/// The names that could be meant.
struct KnownNames<'a> {
    command: &'a Parser,
    words: &'a [&'a str],
    registry: &'a Registry,
}

impl KnownNames<'_> {
    fn flags(&self) -> impl Iterator<Item = &str> {
        self.command.get_arguments().filter_map(clap::Arg::get_long)
    }

    /// Whether the subcommand has a flag; the dashes may stand before it.
    fn has(&self, flag: &str) -> bool {
        let name = flag.split(' ').next().unwrap_or(flag).trim_start_matches('-');
        self.flags().any(|known| known == name)
    }

    /// The meaning of an argument that the subcommand does not have.
    fn argument(&self, given: &str) -> Option<String> {
        if let Some(list) = self.split_list() {
            return Some(format!("the arguments of a program are one list with commas: `--args {list}`"));
        }
        let Some(name) = given.strip_prefix('-') else { return self.misplaced(given) };
        if let Some((_, meant)) = CALLED.iter().find(|(other, meant)| *other == given && self.has(meant)) {
            return Some(format!("it is `{meant}` here"));
        }
        let name = name.trim_start_matches('-');
        if given.starts_with("--") && self.has("--param") && self.is_parameter(name) {
            return Some(format!("a parameter of an AIR is given by `--param {name}=VALUE`"));
        }
        // One dash before a long name: `-a` is all that the parser says of `-air`.
        let single = self.words.iter().filter_map(|word| word.strip_prefix('-')).filter(|word| !word.starts_with('-'));
        let mut long = single.filter_map(|word| word.split('=').next()).filter(|word| word.len() > 1);
        let long = long.find(|word| given.len() == 2 && word.starts_with(name) && self.has(word))?;
        Some(format!("write `--{long}` with two dashes"))
    }

    fn near_flag(&self, given: &str) -> Option<String> {
        let name = given.strip_prefix("--")?;
        nearest(name, self.flags()).map(|near| format!("did you mean `--{near}`?"))
    }

    /// The meaning of a word where no word may stand.
    fn misplaced(&self, word: &str) -> Option<String> {
        let before =
            self.words.windows(3).find(|three| three[2] == word && matches!(three[0], "--param" | "--expect-param"));
        if let Some(&[flag, name, value]) = before {
            return self.assignment(flag, &format!("{name}={value}"));
        }
        let flag = ["--air", "--expect-air"].into_iter().find(|flag| self.has(flag))?;
        let airs = airs(self.registry);
        let air = nearest(word, airs.iter().map(String::as_str))?;
        Some(format!("an AIR is named by `{flag} {air}`"))
    }

    /// The words after `--args`, where spaces stand between them.
    fn split_list(&self) -> Option<String> {
        let at = self.words.iter().position(|word| *word == "--args" || word.starts_with("--args="))?;
        let first = self.words[at].strip_prefix("--args=");
        let rest = self.words[at + 1..].iter().copied().take_while(|word| is_felt_list(word));
        let list: Vec<&str> = first.into_iter().chain(rest).collect();
        let parts = list.iter().map(|part| part.trim_matches(',')).filter(|part| !part.is_empty());
        (self.has("--args") && list.len() > 1).then(|| parts.collect::<Vec<_>>().join(","))
    }

    fn is_parameter(&self, name: &str) -> bool {
        parameters(self.registry).iter().any(|known| known == name)
    }

    fn subcommand(&self, parser: &Parser, name: &str, is_suggested: bool) -> Option<String> {
        let has = |meant: &str| meant.starts_with('-') || self.command.find_subcommand(meant).is_some();
        if let Some((_, meant)) = COMMANDS.iter().find(|(other, meant)| *other == name && has(meant)) {
            return Some(format!("it is `{meant}` here"));
        }
        let is_outer = std::ptr::eq(parser, self.command);
        let inner = parser.get_subcommands().find(|outer| is_outer && outer.find_subcommand(name).is_some());
        if let Some(outer) = inner {
            return Some(format!("did you mean `{} {name}`?", outer.get_name()));
        }
        if is_suggested {
            return None;
        }
        let near = || nearest(name, self.command.get_subcommands().map(Parser::get_name));
        near().map(|near| format!("did you mean `{near}`?"))
    }

    /// The meaning of a value that its argument does not take.
    fn value(&self, flag: &str, value: &str) -> Option<String> {
        let called = VALUES.iter().find(|(of, other, _)| *of == flag && value.eq_ignore_ascii_case(other));
        if let Some((_, _, meant)) = called {
            return Some(format!("did you mean `{meant}`?"));
        }
        match flag {
            "--security" => return security(value).map(|asked| format!("did you mean `{asked}`?")),
            "--param" | "--expect-param" => return self.assignment(flag, value),
            _ => {}
        }
        let listed: Vec<String> = match self.argument_of(flag) {
            Some(argument) => argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
            None => Vec::new(),
        };
        let known = listed.iter().map(String::as_str).chain(values_of(flag).iter().copied());
        let near = nearest(value, known).map(str::to_owned).or_else(|| meant_number(value));
        near.filter(|near| near != value).map(|near| format!("did you mean `{near}`?"))
    }

    fn argument_of(&self, flag: &str) -> Option<&clap::Arg> {
        let name = flag.strip_prefix("--")?;
        self.command.get_arguments().find(|argument| argument.get_long() == Some(name))
    }

    /// `NAME VALUE`, `NAME:VALUE` and `NAME=` with a number in another form.
    fn assignment(&self, flag: &str, value: &str) -> Option<String> {
        let number = |text: &str| match super::values::integer(text) {
            Ok(_) => Some(text.to_owned()),
            Err(_) => meant_number(text),
        };
        let after = || {
            let at = self.words.iter().position(|word| *word == value)?;
            self.words.get(at + 1).copied()
        };
        let (name, text) = match value.split_once(['=', ':']) {
            Some((name, text)) => (name, text),
            None => (value, after()?),
        };
        number(text).map(|number| format!("did you mean `{flag} {name}={number}`?"))
    }
}

/// Whether it may be a part of a list of felts.
fn is_felt_list(word: &str) -> bool {
    let is_felt = |part: &str| {
        let part = part.strip_prefix('-').unwrap_or(part);
        let (digits, radix) = part.strip_prefix("0x").map_or((part, 10), |digits| (digits, 16));
        !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
    };
    word == "," || word.trim_matches(',').split(',').all(is_felt)
}

/// The meaning of `100`, `provable100` and `proven-128`.
fn security(value: &str) -> Option<String> {
    let value = value.trim();
    let digits = value.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let bits: u32 = digits.strip_suffix("bits").unwrap_or(digits).trim_end_matches(['-', ' ']).parse().unwrap_or(100);
    let kind = value[..value.len() - digits.len()].trim_end_matches(|letter: char| !letter.is_alphabetic());
    let known = ["provable", "conjectured", "claimed", "first-order"];
    let kind = if kind.is_empty() { Some("provable") } else { nearest(kind, known).or(near_kind(kind)) };
    kind.map(|kind| format!("{kind}-{bits}"))
}

/// Kinds of security as papers call them.
fn near_kind(kind: &str) -> Option<&'static str> {
    ["proven", "unconditional", "johnson"].contains(&kind).then_some("provable")
}

fn of_families<F: ProofSystem>(airs: &Airs<F>, mut see: impl FnMut(&Family<F>)) {
    airs.all().for_each(&mut see);
}

/// The names of all AIRs.
pub(crate) fn airs(registry: &Registry) -> Vec<String> {
    let mut names = Vec::new();
    of_families(&registry.airs::<Goldilocks3>(), |family| names.push(family.name().to_owned()));
    of_families(&registry.airs::<CircleStark>(), |family| names.push(family.name().to_owned()));
    sorted(names)
}

/// The names of all parameters of AIRs.
pub(crate) fn parameters(registry: &Registry) -> Vec<String> {
    let mut names = Vec::new();
    let mut of = |params: &[sdk::Param]| names.extend(params.iter().map(|param| param.name.clone()));
    of_families(&registry.airs::<Goldilocks3>(), |family| of(family.params()));
    of_families(&registry.airs::<CircleStark>(), |family| of(family.params()));
    sorted(names)
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

/// Arguments, and the parts before and behind the first `=` of each: the longest first, as a message repeats one or the
/// other.
pub(crate) fn parts_of<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let parts = |argument: &'a str| {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        [argument, value, name, value.split_once('=').map_or("", |(_, value)| value)]
    };
    let mut all: Vec<&str> = arguments.into_iter().flat_map(parts).collect();
    all.sort_unstable_by_key(|part| std::cmp::Reverse(part.len()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_security_have_other_names() {
        for (value, asked) in [
            ("100", "provable-100"),
            ("provable100", "provable-100"),
            ("provable_128", "provable-128"),
            ("proven-96", "provable-96"),
            ("conjecture-80", "conjectured-80"),
            ("clamed", "claimed-100"),
            ("first_order_128", "first-order-128"),
        ] {
            assert_eq!(security(value).as_deref(), Some(asked), "{value}");
        }
        assert_eq!(security("free"), None);
    }

    #[test]
    fn felts_are_told_from_files() {
        for list in ["1", "0xff", "-3", "1,2", ",", "2,"] {
            assert!(is_felt_list(list), "{list}");
        }
        for other in ["", "a.json", "-o", "--output", "1.5"] {
            assert!(!is_felt_list(other), "{other}");
        }
    }
}
