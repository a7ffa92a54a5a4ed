//! The golden proofs in `vectors/`, which `vectors/README.md` describes: read once, for the tests of every crate. With
//! the feature `prover`, the steps of backends' tests with whole proofs: compare them with the golden ones, with the
//! plan of their memory, with each other.
//!
//! The files are of this repository, so a file that is not as it should be is a panic with its name.
#![forbid(unsafe_code)]

#[cfg(feature = "prover")]
pub mod backends;
pub mod circle;
pub mod gkr;
pub mod goldilocks;
pub mod recurrence;
#[cfg(feature = "prover")]
pub mod runs;
pub mod statements;
#[cfg(feature = "prover")]
pub use hal_conformance::slow_or_skip;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The vectors of a protocol.
struct Folder(&'static str);

impl Folder {
    fn path(&self, file: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(self.0).join(file)
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        let path = self.path(file);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn json(&self, file: &str) -> Value {
        serde_json::from_slice(&self.bytes(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// The vectors' names, sorted.
    fn names(&self) -> Vec<String> {
        let path = self.path("");
        let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                entry.expect("an entry").file_name().to_str()?.strip_suffix(".proof.bin").map(str::to_owned)
            })
            .collect();
        names.sort();
        names
    }

    /// The lines of a table, each split into its fields.
    fn table(&self, name: &str) -> Vec<Vec<String>> {
        let text = String::from_utf8(self.bytes(name)).expect("text");
        text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }
}

/// The number of a JSON value.
///
/// # Panics
/// If it is none.
pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// The text of a JSON value.
///
/// # Panics
/// If it is none.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

/// The bytes of a hexadecimal JSON value.
///
/// # Panics
/// If it is none.
pub fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(text(value)).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// The items of a JSON list.
///
/// # Panics
/// If it is none: a name that the file has not gives a null.
pub fn list<T>(value: &Value, item: impl FnMut(&Value) -> T) -> Vec<T> {
    match value {
        Value::Array(items) => items.iter().map(item).collect(),
        other => panic!("not a list: {other}"),
    }
}
