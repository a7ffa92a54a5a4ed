//! Arguments that several of these subcommands share.

use std::path::Path;

use cairo::preprocessed::Variant;
use cairo::verify::Proof;
use cairo::{BuiltinName, Felt252};
use clap::ValueEnum;

use crate::Error;
use crate::cli::exit::Failure;
use crate::cli::policy::ReadArguments;
use crate::proof_format::text::{said, shown};

/// A variant of the preprocessed columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preprocessed {
    /// All columns: for any program
    Canonical,
    /// Without the table of points: no program that takes Pedersen hashes
    CanonicalWithoutPedersen,
    /// Columns of 2^20 rows at most: programs of about a million steps
    CanonicalSmall,
}

impl From<Preprocessed> for Variant {
    fn from(variant: Preprocessed) -> Self {
        match variant {
            Preprocessed::Canonical => Self::Canonical,
            Preprocessed::CanonicalWithoutPedersen => Self::CanonicalWithoutPedersen,
            Preprocessed::CanonicalSmall => Self::CanonicalSmall,
        }
    }
}

/// A felt: hexadecimal with `0x`, or decimal.
pub(crate) fn felt(text: &str) -> Result<Felt252, String> {
    cairo::felt::parse(text)
}

/// Names of builtins, separated by commas, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Builtins(pub(crate) Vec<BuiltinName>);

/// Names of builtins, separated by commas; none if empty.
pub(crate) fn builtins(text: &str) -> Result<Builtins, String> {
    let names = text.split(',').map(str::trim).filter(|_| !text.trim().is_empty());
    let name = |name| BuiltinName::from_str(name).ok_or_else(|| format!("there is no builtin `{}`", shown(name)));
    names.map(name).collect::<Result<_, _>>().map(Builtins)
}

/// A proof, the length of its file and its format.
pub(crate) struct File {
    pub(crate) proof: Proof,
    pub(crate) bytes: usize,
    pub(crate) format: cairo::file::Format,
}

impl File {
    /// Reads a proof.
    pub(crate) fn read(path: &Path, read: &ReadArguments) -> Result<Self, Failure> {
        let bytes = read.read_any(path)?;
        let (proof, format) = cairo::file::decode(&bytes, read.max_bytes).map_err(Error::from)?;
        Ok(Self { proof, bytes: bytes.len(), format })
    }
}

/// The felts of a file: a JSON array of strings.
pub(crate) fn felts(path: &Path, read: &ReadArguments) -> Result<Vec<Felt252>, Failure> {
    let bytes = read.read(path)?;
    let texts: Vec<String> = serde_json::from_slice(&bytes)
        .map_err(|error| Failure::file(path, format!("no JSON array of strings: {}", said(&error.to_string()))))?;
    let felt =
        |(at, text): (usize, &String)| felt(text).map_err(|error| Failure::file(path, format!("felt {at}: {error}")));
    texts.iter().enumerate().map(felt).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtins_are_named() {
        let names = |text| builtins(text).map(|Builtins(names)| names);
        assert_eq!(names("output, range_check"), Ok(vec![BuiltinName::output, BuiltinName::range_check]));
        assert_eq!(names(""), Ok(vec![]));
        assert!(names("output,,poseidon").is_err() && names("sha256").is_err());
    }
}
