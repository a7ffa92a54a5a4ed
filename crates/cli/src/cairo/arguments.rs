//! Arguments that several of these subcommands share.

use std::path::{Path, PathBuf};

use cairo::Proof;
use cairo::file::{FileError, Format};
use cairo::preprocessed::Variant;
use cairo_run::felt::text;
use cairo_run::{BuiltinName, Felt252, Named, Problem, named, parse_arguments_file, parse_arguments_list};
use clap::ValueEnum;
use clap::builder::TypedValueParser;

use crate::arguments::values::choice;
use crate::inputs::kinds::{self, Kind};
use crate::inputs::policy::ReadArguments;
use crate::report::exit::Failure;
use sdk::Error;
use sdk::circle_proof::Suite;
use sdk::proof_format::text::excerpt;

/// Longest file of felts, of a program input or of a list of programs that is read, 256 MiB.
pub(super) const MAX_TEXT_BYTES: u64 = 1 << 28;

/// The name of a value of an argument.
pub(crate) fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Parses a variant of the preprocessed columns.
pub(crate) fn variant() -> impl TypedValueParser<Value = Variant> {
    choice(Variant::ALL.map(|variant| {
        let help = match variant {
            Variant::Canonical => "All columns: for any program",
            Variant::CanonicalWithoutPedersen => "Without the table of points: no program that takes Pedersen hashes",
            Variant::CanonicalSmall => "Columns of 2^20 rows at most: programs of about a million steps",
        };
        (variant, variant.name(), help)
    }))
}

/// A felt: hexadecimal with `0x`, or decimal.
pub(crate) fn felt(text: &str) -> Result<Felt252, String> {
    cairo_run::felt::parse(text)
}

/// Names of builtins, separated by commas, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Builtins(pub(crate) Vec<BuiltinName>);

/// Names of builtins, separated by commas; none if empty.
pub(crate) fn builtins(text: &str) -> Result<Builtins, String> {
    let names = text.split(',').map(str::trim).filter(|_| !text.trim().is_empty());
    let name = |name| BuiltinName::from_name(name).ok_or_else(|| format!("there is no builtin `{}`", excerpt(name)));
    names.map(name).collect::<Result<_, _>>().map(Builtins)
}

/// The felts of a list, or the file that has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Felts {
    List(Vec<Felt252>),
    File(PathBuf),
}

/// Felts, separated by commas: decimal, perhaps negative, or hexadecimal with `0x`; none if empty. Anything else is the
/// name of a file.
pub(crate) fn felts(text: &str) -> Result<Felts, String> {
    Ok(parse_arguments_list(text).map_or_else(|_| Felts::File(text.into()), Felts::List))
}

impl Felts {
    /// The felts; a file of them is a JSON array of strings or numbers.
    pub(crate) fn read(&self, read: &ReadArguments) -> Result<Vec<Felt252>, Failure> {
        let path = match self {
            Self::List(felts) => return Ok(felts.clone()),
            Self::File(path) => path,
        };
        let bytes = read.read_part(path, "a file of felts", MAX_TEXT_BYTES).map_err(|failure| {
            let hint = "a list of felts is written 1,-2,0x3, without spaces and below the prime";
            Failure { message: format!("{}: {hint}", failure.message), ..failure }
        })?;
        parse_arguments_file(&bytes).map_err(|error| match error {
            Problem::Arguments(why) => Failure::file(path, why),
            error => Failure::file(path, error),
        })
    }
}

/// The hash of a program, or the file that has the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Hash(Felt252),
    File(PathBuf),
}

/// A felt; anything else is the name of a file.
pub(crate) fn program(text: &str) -> Result<Program, String> {
    Ok(felt(text).map_or_else(|_| Program::File(text.into()), Program::Hash))
}

impl Program {
    /// Its hash, and its builtins if they are known.
    pub(crate) fn read(&self, read: &ReadArguments) -> Result<(Felt252, Option<Vec<BuiltinName>>), Failure> {
        let path = match self {
            Self::Hash(hash) => return Ok((*hash, None)),
            Self::File(path) => path,
        };
        let bytes = read.read(path).map_err(|failure| {
            let hint = "name a program, or its hash, which `polystark cairo program-hash` prints";
            Failure { message: format!("{}: {hint}", failure.message), ..failure }
        })?;
        let Named { hash, builtins, .. } = named(&bytes).map_err(|error| Failure::file(path, error))?;
        Ok((hash, Some(builtins)))
    }
}

/// The flags that expect a program.
pub(crate) fn program_flags(hash: &Felt252, builtins: &[BuiltinName]) -> Vec<String> {
    let names: Vec<&str> = builtins.iter().map(|builtin| builtin.to_str()).collect();
    vec![format!("--expect-program {}", text(hash)), format!("--expect-builtins={}", names.join(","))]
}

/// A proof, its file and its format.
pub(crate) struct File {
    pub(crate) proof: Proof,
    pub(crate) bytes: Vec<u8>,
    pub(crate) format: Format,
}

impl File {
    /// Reads a proof of a suite; `verb` is the action on it.
    pub(crate) fn read(path: &Path, read: &ReadArguments, suite: Suite, verb: &str) -> Result<Self, Failure> {
        Self::of(read.read_any(path)?, path, read, suite, verb)
    }

    /// The proof of a suite that these bytes of a file are.
    pub(crate) fn of(
        bytes: Vec<u8>,
        path: &Path,
        read: &ReadArguments,
        suite: Suite,
        verb: &str,
    ) -> Result<Self, Failure> {
        // The decoder names the fault of the format for the verifier in Cairo.
        kinds::refuse_other(path, &bytes, &[Kind::CairoProof, Kind::CairoSerde], verb)?;
        let decoded = cairo::file::decode(&bytes, read.max_bytes, suite);
        if let Err(FileError::Bincode(_)) = decoded
            && !bytes.is_empty()
            && Kind::of(&bytes).is_none()
        {
            // It does not even begin as a proof does. One that does and breaks off is an invalid proof.
            return Err(Failure::file(
                path,
                "this is no proof of a Cairo program (binary, extended-binary, json or bincode)",
            ));
        }
        let (proof, format) = decoded.map_err(Error::from)?;
        Ok(Self { proof, bytes, format })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtins_are_named() {
        let names = |text| builtins(text).map(|Builtins(names)| names);
        assert_eq!(names("output, range_check"), Ok(vec![BuiltinName::Output, BuiltinName::RangeCheck]));
        assert_eq!(names(""), Ok(vec![]));
        assert!(names("output,,poseidon").is_err() && names("sha256").is_err());
    }

    #[test]
    fn what_is_no_felt_is_a_file() {
        assert_eq!(felts("144,-1, 0x90"), Ok(Felts::List(vec![144.into(), -Felt252::ONE, 144.into()])));
        assert_eq!(felts(""), Ok(Felts::List(vec![])));
        for file in ["output.json", "./144", "1,,2", "0x"] {
            assert_eq!(felts(file), Ok(Felts::File(file.into())));
        }
        assert_eq!(program("0x90"), Ok(Program::Hash(144.into())));
        assert_eq!(program("fib.json"), Ok(Program::File("fib.json".into())));
    }
}
