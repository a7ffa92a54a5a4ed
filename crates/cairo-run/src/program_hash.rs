//! The hash by which a program is known: the reference calls it the program hash of a proof.
//!
//! It is Blake2s of the words of the program, each as 32-bit numbers, most significant first: a word below 2^63 as two,
//! any other as eight, of which the first has its highest bit set. Numbers are little-endian bytes, and so are the
//! eight of the digest, which is taken as a number of 256 bits, least significant first, modulo the prime.

use blake2::{Blake2s256, Digest};
use proof_format::text::{excerpt, parser_message};
use serde::Deserialize;

use crate::detect::{detect, is_json};
use crate::felt::to_words;
use crate::{BuiltinName, Felt252, Kind, Problem, Words};

/// Marks a word of eight numbers: no felt has this bit.
const LONG: u32 = 1 << 31;

/// The hash of a program's words: each a felt, as eight 32-bit numbers, least significant first.
pub fn program_hash<'a>(words: impl IntoIterator<Item = &'a Words>) -> Felt252 {
    let mut hasher = Blake2s256::new();
    for word in words {
        let is_short = word[2..].iter().all(|number| *number == 0) && word[1] < LONG;
        let numbers = if is_short { &word[..2] } else { &word[..] };
        for (index, number) in numbers.iter().enumerate().rev() {
            let mark = if index == 7 { LONG } else { 0 };
            hasher.update((number | mark).to_le_bytes());
        }
    }
    Felt252::from_bytes_le(&hasher.finalize().into())
}

/// The name by which a verifier knows a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its hash.
    pub hash: Felt252,
    /// Its words.
    pub words: usize,
    /// The builtins whose pointers main takes and returns, in order.
    pub builtins: Vec<BuiltinName>,
}

/// Why a file names no program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NamedError {
    /// It is no program in JSON.
    #[error(
        "the file is no program in JSON, compiled or executable: {}; the hash of a ProverInput is in the proof",
        parser_message(&_0.to_string())
    )]
    Json(#[from] serde_json::Error),
    /// It is known to be something else. The text names its kind and the command that takes it.
    #[error("{0}")]
    Kind(String),
    /// It is a run, which does not say where its program ends.
    #[error(
        "the file is a ProverInput, the run of a program: the hash is in the proof that `polystark cairo prove` makes of it"
    )]
    ProverInput,
    /// A word of the program is none.
    #[error("word {at} of the program is `{}`, no felt in hexadecimal", excerpt(text))]
    Word {
        /// Its number.
        at: usize,
        /// The text that stands there.
        text: String,
    },
    /// The executable cannot be proven.
    #[error("the executable has no entry point of the kind Standalone: build an `[executable]` target")]
    EntryPoint,
    /// No such builtin.
    #[error("there is no builtin `{}`", excerpt(_0))]
    Builtin(String),
}

/// The parts of both kinds of programs that are read here.
#[derive(Deserialize)]
#[serde(untagged)]
enum Program {
    Executable { program: Bytecode, entrypoints: Vec<EntryPoint> },
    Compiled { data: Vec<String>, builtins: Vec<String> },
}

#[derive(Deserialize)]
struct Bytecode {
    bytecode: Vec<String>,
}

#[derive(Deserialize)]
struct EntryPoint {
    builtins: Vec<String>,
    kind: String,
}

/// The name of a program in a file: a compiled one, or an executable, that is proven by its Standalone entry point.
/// Nothing is run.
///
/// # Errors
/// If it is none.
pub fn named(bytes: &[u8]) -> Result<Named, NamedError> {
    let (words, builtins) = match serde_json::from_slice(bytes).map_err(|error| other(bytes, error))? {
        Program::Compiled { data, builtins } => (data, builtins),
        Program::Executable { program, entrypoints } => {
            let standalone = entrypoints.into_iter().find(|entry| entry.kind == "Standalone");
            (program.bytecode, standalone.ok_or(NamedError::EntryPoint)?.builtins)
        }
    };
    let word = |(at, text): (usize, String)| signed(&text).ok_or(NamedError::Word { at, text });
    let words = words.into_iter().enumerate().map(word).collect::<Result<Vec<_>, _>>()?;
    let builtin = |name: String| BuiltinName::from_name(&name).ok_or(NamedError::Builtin(name));
    let builtins = builtins.into_iter().map(builtin).collect::<Result<_, _>>()?;
    Ok(Named { hash: program_hash(&words), words: words.len(), builtins })
}

/// The error about bytes that are no program: it names their kind, or says that they are no JSON.
fn other(bytes: &[u8], error: serde_json::Error) -> NamedError {
    match detect(bytes) {
        Err(Problem::UnknownKind(what)) => NamedError::Kind(what),
        Ok(Kind::ProverInput) if is_json(bytes) => NamedError::ProverInput,
        _ => NamedError::Json(error),
    }
}

/// A word in hexadecimal after `0x`, perhaps negative: executables write jumps backwards so.
fn signed(text: &str) -> Option<Words> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let felt = digits.starts_with("0x").then(|| crate::felt::parse(digits).ok()).flatten()?;
    Some(to_words(&if negative { -felt } else { felt }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that the prover makes public equal the words of the file.
    #[test]
    fn programs_in_files() {
        let compiled = br#"{"data": ["0x5", "0x800000000000011000000000000000000000000000000000000000000000000"],
            "builtins": ["output", "range_check"], "hints": {}}"#;
        let words = [[5, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 17, 1 << 27]];
        let builtins = vec![BuiltinName::Output, BuiltinName::RangeCheck];
        let expected = Named { hash: program_hash(&words), words: 2, builtins };
        assert_eq!(named(compiled).unwrap(), expected);
        let executable = br#"{"program": {"bytecode": ["0x5", "-0x1"], "hints": []}, "entrypoints": [
            {"builtins": [], "offset": 6, "kind": "Bootloader"},
            {"builtins": ["output", "range_check"], "offset": 0, "kind": "Standalone"}]}"#;
        assert_eq!(named(executable).unwrap(), expected);
        for bad in ["", "{}", r#"{"data": ["5"], "builtins": []}"#, r#"{"data": ["0x5"], "builtins": ["sha256"]}"#] {
            assert!(named(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
